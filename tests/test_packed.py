import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite import PoSh
from posh_lite.errors import InputError, JudgeError
from posh_lite.graph.types import Entity
from posh_lite.judge.contract import Identifier, Question, Unanswered
from posh_lite.judge.llm.answers import FIVE, YES_NO
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.packed import bundles, list_digest, list_prompt, read_lines
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.prompts import load_prompts


def question(words, target="A cat sits on a mat.", side="reference", pair="p"):
    text = f'Does TEXT A speak of "{words}"?'
    prompt = load_prompts().render(text, side, target=target, source="S.")
    return Question(pair, side, "entity", Identifier(words, Entity(0, words, ())), target, prompt, text)


def score_of(text):
    """4 where "cat" is asked, else 2."""
    return "4" if "cat" in text.rpartition("Question:")[2] else "2"


class Plain:
    """An engine without lists: it writes what it is told to."""

    name, identity, context = "fake", "model:1", None

    def __init__(self, write=lambda prompt: ""):
        self.write, self.prompts, self.read_prompts, self.rooms = write, [], [], []

    def count(self, prompt):
        return len(prompt.text.split())

    def read(self, prompts, answers):
        self.read_prompts += prompts
        return [Reading(((score_of(p.text), 0.0),), "", 10, 4, 1) for p in prompts]

    def sample(self, prompts, n, seed):
        raise AssertionError

    def generate(self, prompts, max_tokens):
        self.prompts += prompts
        self.rooms.append(max_tokens)
        made = [self.write(p) for p in prompts]
        return [m if isinstance(m, Reading) else Reading(text=m, tokens=20, cached=5, generated=6) for m in made]


class Listing(Plain):
    """An engine that reads lists: the answer to line n is n, with probability 0.8."""

    chained = None

    def read_list(self, prompts, counts, answers, *, chained=True):
        self.prompts += prompts
        self.chained = chained
        return [
            [Reading(((str(1 + n % 5), math.log(0.8)), ("x", math.log(0.2))), "", 0 if n else 30, 0 if n else 7, 3)
             for n in range(count)]
            for count in counts
        ]


def test_a_list_stands_where_the_question_stood():
    questions = [question(w) for w in ("cat", "mat", "dog")]
    prompt = list_prompt(questions)
    before = questions[0].prompt.partition('Does TEXT A speak of "cat"?')[0]
    assert prompt.text[: prompt.shared] == before
    tail = prompt.text[prompt.shared:]
    asked = [f'{n}. Does TEXT A speak of "{w}"?' for n, w in enumerate(("cat", "mat", "dog"), start=1)]
    assert tail.endswith("\n" + "\n".join(asked))
    assert tail.count("3") == 3  # twice the number of questions, once the number of the last


def test_a_single_question_keeps_its_own_prompt():
    one = question("cat")
    assert list_prompt([one]).text == one.prompt
    engine = Listing()
    LanguageJudge(engine, pack=4).ask([one])
    assert [p.text for p in engine.read_prompts] == [one.prompt]
    assert engine.prompts == []


def test_braces_in_a_question_stay():
    prompt = list_prompt([question("{count} {items}"), question("{number} 5%")])
    assert '1. Does TEXT A speak of "{count} {items}"?\n2. Does TEXT A speak of "{number} 5%"?' in prompt.text


def test_bundles_hold_questions_about_the_same_texts_and_are_even():
    questions = [question(f"cat{n}") for n in range(9)]
    questions[4:4] = [question("dog", target="Another."), question("dog", side="generation")]
    found = bundles(questions, 8)
    assert [b.indices for b in found] == [(0, 1, 2, 3), (6, 7, 8, 9, 10), (4,), (5,)]


def test_probabilities_of_every_line_become_verdicts_in_the_order_of_the_questions():
    engine = Listing()
    judge = LanguageJudge(engine, pack=3)
    questions = [question("cat"), question("x", target="Other."), question("mat"), question("dog")]
    verdicts = judge.ask(questions)
    assert [v.score for v in verdicts] == [1.0, 2.0, 2.0, 3.0]
    assert [v.mass for v in verdicts] == pytest.approx([0.8, 1.0, 0.8, 0.8])
    # One list of three and one prompt of its own: 30 + 10 tokens, 7 + 4 of them reused, 3 lines of 3 and 1 generated.
    usage = judge.usage
    assert (usage.prompts, usage.tokens, usage.cached, usage.generated) == (2, 40, 11, 10)
    assert engine.chained is True


def test_lines_apart():
    engine = Listing()
    judge = LanguageJudge(engine, pack=3, chained=False)
    judge.ask([question("cat"), question("mat")])
    assert engine.chained is False
    assert judge.signature.endswith(f"scale:1-5 pack:3 of:pair list:{list_digest()} apart")


def test_the_signature_tells_the_pack_and_that_of_one_is_unchanged():
    assert LanguageJudge(Plain(), pack=4).signature == f"fake model:1 scale:1-5 pack:4 of:pair list:{list_digest()}"
    assert LanguageJudge(Plain(), pack=1).signature == "fake model:1 scale:1-5"


@pytest.mark.parametrize("value", [0, -1, 2.0, True, "4"])
def test_pack_is_a_whole_number(value):
    with pytest.raises(InputError, match="pack must be a whole number"):
        LanguageJudge(Plain(), pack=value)


def test_samples_cannot_be_packed():
    with pytest.raises(InputError, match="pack"):
        LanguageJudge(Plain(), pack=2, scale="sampled")
    with pytest.raises(InputError, match="chained"):
        LanguageJudge(Plain(), pack=2, chained=1)


def test_a_written_list_is_read_without_claiming_a_probability():
    engine = Plain(lambda p: "Here you are:\n1: 4\n3: 5\n4: 1")
    judge = LanguageJudge(engine, pack=4)
    verdicts = judge.ask([question(w) for w in ("cat", "mat", "dog")])
    assert [v.score for v in verdicts] == [4.0, None, 5.0]
    assert verdicts[0].probabilities == (0, 0, 0, 1, 0)
    assert verdicts[0].mass is None
    assert "no answer with this number" in verdicts[1].raw
    assert engine.rooms == [24]  # eight tokens a line


def test_a_server_that_failed_leaves_all_questions_of_a_list_unanswered():
    judge = LanguageJudge(Plain(lambda p: Reading(fault="503")), pack=2)
    verdicts = judge.ask([question("cat"), question("mat")])
    assert all(isinstance(v, Unanswered) and v.raw == "503" for v in verdicts)
    assert judge.n_unanswered == 2


def test_thinking_first_is_refused_in_a_written_list():
    judge = LanguageJudge(Plain(lambda p: "<think>\nLet me see"), pack=2)
    with pytest.raises(JudgeError, match="thinks before it answers"):
        judge.ask([question("cat"), question("mat")])


def test_a_list_that_does_not_fit_is_refused_before_anything_is_sent():
    engine = Listing()
    engine.context = engine.count(list_prompt([question("cat"), question("mat")])) + 8 * 2
    LanguageJudge(engine, pack=2).ask([question("cat"), question("mat")])
    engine.context -= 1
    engine.prompts.clear()
    with pytest.raises(JudgeError, match='pair "p", reference: the prompt has'):
        LanguageJudge(engine, pack=2).ask([question("cat"), question("mat")])
    assert engine.prompts == []


def test_a_verdict_is_logged_under_its_question_and_its_list(tmp_path):
    questions = [question("cat"), question("mat"), question("dog")]
    first = LoggedJudge(LanguageJudge(Listing(), pack=3), tmp_path / "log.sqlite")
    wanted = [v.score for v in first.ask(questions)]
    engine = Listing()
    again = LoggedJudge(LanguageJudge(engine, pack=3), tmp_path / "log.sqlite")
    assert [v.score for v in again.ask(questions)] == wanted
    assert engine.prompts == []
    other = [question("cat"), question("dog")]  # another list: nothing is known of it
    assert [v.score for v in again.ask(other)] == [1.0, 2.0]
    assert len(engine.prompts) == 1
    alone = LoggedJudge(LanguageJudge(Listing()), tmp_path / "log.sqlite")
    assert alone.ask(questions[:1])[0].score == 4.0  # another signature: asked by itself


def test_posh_asks_fewer_prompts_with_lists():
    generation, reference = "A man in a red coat holds a dog.", "A man wears a blue coat. A dog barks."
    one, four = LanguageJudge(Listing()), LanguageJudge(Listing(), pack=4)
    single = PoSh(one, threshold=1.0, progress=False).score(generation, reference)
    packed = PoSh(four, threshold=1.0, progress=False).score(generation, reference)
    assert packed.n_asked == single.n_asked
    assert four.usage.prompts <= one.usage.prompts / 2


WRITTEN = [
    ("1: 4\n2: 5\n3: 1", [4, 5, 1]),
    ("1:4\r\n2:5\r\n3:1\r\n", [4, 5, 1]),
    ("```\n1: 4\n2: 5\n3: 1\n```", [4, 5, 1]),
    ("Sure! Here are the 3 answers:\n\n1. 4\n2. **5**\n3. 1\n\nLet me know!", [4, 5, 1]),
    ("**1:** 4\n**2:** 5\n**3:** 1", [4, 5, 1]),
    ("- 1: 4\n- 2: 5\n- 3: 1", [4, 5, 1]),
    ("| 1 | 4 |\n| 2 | 5 |\n| 3 | 1 |", [4, 5, 1]),
    ("Question 1: 4\nQ2 - 5\n#3 -> 1", [4, 5, 1]),
    ("1: 4, 2: 5, 3: 1", [4, 5, 1]),
    ("1: 4 2: 5 3: 1", [4, 5, 1]),
    ('```json\n{"1": 4, "2": "5", "3": 1,}\n```', [4, 5, 1]),
    ("{'1': '4', '2': '5', '3': '1'}", [4, 5, 1]),
    ('[{"index": 1, "answer": 4}, {"index": 2, "score": "5"}, {"index": 3, "answer": 1}', [4, 5, 1]),
    ("4\n5\n1", [4, 5, 1]),
    ("[4, 5, 1]", [4, 5, 1]),
    ("1: 4/5\n2: 5 out of 5\n3: 1 (not there)", [4, 5, 1]),
    ('1. Does TEXT A speak of "the 3 dogs"? 4\n2. Does it? - 5\n3. Is it so? 1', [4, 5, 1]),
    ("3: 1\n1: 4\n2: 5", [4, 5, 1]),
    ("1: 4\n1: 4\n2: 5\n3: 1", [4, 5, 1]),
    ("1: 4\n1: 5\n2: 5\n3: 1", [None, 5, 1]),  # said twice, and not the same
    ("1: 4\n3: 1", [4, None, 1]),
    ("0: 3\n1: 4\n2: 5\n3: 1\n4: 2\n17: 3", [4, 5, 1]),  # numbers that were not asked
    ("1: 10\n2: 2025\n3: 4.5", [None, None, None]),
    ("1: 4 or 5\n2: 4-5\n3: 6", [None, None, None]),
    ("4\n5", [None, None, None]),  # which of the three?
    ("4\n5\n1\n2", [None, None, None]),
    ("4.5\n3.2\n1.1", [None, None, None]),
    ("I cannot tell.", [None, None, None]),
    ("", [None, None, None]),
    ("\x00", [None, None, None]),
]


@pytest.mark.parametrize(("text", "wanted"), WRITTEN)
def test_written_digits(text, wanted):
    assert read_lines(text, 3, FIVE) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1: yes\n2: no", [5, 1]),
        ("1: Yes.\n2: NO!", [5, 1]),
        ("1: yes, the text says so\n2: No, it is blue", [5, 1]),
        ("1. **Yes**\n2. no", [5, 1]),
        ("yes\nno", [5, 1]),
        ("1: Not mentioned\n2: nothing", [None, None]),
        ("1: yes or no\n2: yes/no", [None, None]),
        ("1: 5\n2: 1", [None, None]),  # answers of another scale
    ],
)
def test_written_words(text, wanted):
    assert read_lines(text, 2, YES_NO) == wanted


@given(st.text(alphabet="0123456789 :.,-/\n[]{}\"'*#aeiqy?|"), st.integers(1, 6))
def test_any_text_gives_as_many_answers_as_were_asked(text, count):
    found = read_lines(text, count, FIVE)
    assert len(found) == count
    assert all(v is None or 1 <= v <= 5 for v in found)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.sampled_from([": ", ". ", ") ", " - ", " = "]))
def test_what_is_written_is_read(values, between):
    text = "\n".join(f"{n}{between}{v}" for n, v in enumerate(values, start=1))
    assert read_lines(text, len(values), FIVE) == values
