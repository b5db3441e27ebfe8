import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.judge import prompts as module
from posh_lite.judge.prompts import fill, load_prompts

DEFAULT = module._DEFAULT


def test_mistakes_show_both_texts_and_omissions_only_the_target():
    prompts = load_prompts()
    both = prompts.render("Q?", "generation", target="TARGET", source="SOURCE")
    assert "TARGET" in both
    assert "SOURCE" in both
    one = prompts.render("Q?", "reference", target="TARGET", source="SOURCE")
    assert "TARGET" in one
    assert "SOURCE" not in one


def test_texts_come_first_and_the_question_last():
    prompts = load_prompts()
    for side in ("generation", "reference"):
        first = prompts.render("Is A?", side, target="the target", source="the source")
        second = prompts.render("Is B?", side, target="the target", source="the source")
        same = len(first) - len(first.split("Is A?")[1]) - len("Is A?")
        assert first[:same] == second[:same]
        assert "the target" in first[:same]
        assert "the target" not in first[same:]


@pytest.mark.parametrize(
    "text",
    ["{identifier}", "{question}", "{target} {source} {guide}", "100% {} {0} %s %(x)s {{}}", "\\1 \\g<0>", ""],
)
def test_braces_and_per_cent_signs_in_texts_stay_what_they_are(text):
    prompts = load_prompts()
    question = prompts.question("attribute", "generation", identifier=text, attribute=f"<{text}>")
    assert f'"{text}"' in question
    assert f"<{text}>" in question
    prompt = prompts.render(question, "generation", target=f"A{text}A", source=f"B{text}B")
    assert f"A{text}A" in prompt
    assert f"B{text}B" in prompt
    assert prompt.count(question) == 1


@settings(max_examples=50, deadline=None)
@given(st.text(), st.text(), st.text())
def test_any_text_survives(target, source, identifier):
    prompts = load_prompts()
    question = prompts.question("entity", "generation", identifier=identifier)
    before, after = prompts.around("generation", target=target, source=source)
    assert prompts.render(question, "generation", target=target, source=source) == before + question + after
    assert target in before
    assert source in before


def test_every_question_can_be_asked():
    prompts = load_prompts()
    for side in ("generation", "reference"):
        for name in ("entity", "entity_absent", "attribute", "attribute_negated", "relation", "relation_negated"):
            asked = prompts.question(name, side, identifier="I", attribute="A", relation="R", object="O")
            assert asked.endswith("?")
            assert "{" not in asked
    assert "TEXT B" not in prompts.question("entity", "reference", identifier="x")
    assert "cup red" in prompts.rewrite("attribute", "cup red")
    assert prompts.rewrite("relation", "{identifier}").count("{identifier}") == 1


def test_digest_is_that_of_the_file():
    assert load_prompts().digest == hashlib.sha256(DEFAULT.read_bytes()).hexdigest()


def test_own_prompts(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(DEFAULT.read_text().replace("You check what", "Please check what"))
    prompts = load_prompts(own)
    assert "Please check what" in prompts.render("Q?", "reference", target="t", source="s")
    assert prompts.digest != load_prompts().digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[question]", "[questions]", 'template "entity" is missing'),
        ('describe "{identifier}"', "describe it", 'attribute must contain "{identifier}"'),
        ('Question: {question}"""\n\n[guide]', '"""\n\n[guide]', 'reference must contain "{question}"'),
        ("{question}", "{question} {question}", 'generation must contain "{question}" once'),
        ("[guide]", "[guides]", 'template "five" is missing'),
        ('yes_no = """', 'yes_no = """{target}', 'yes_no cannot use "{target}"'),
        ("[frame]", "[frame", "not a valid TOML file"),
        ("entity = ", "entity = 3 #", 'template "entity" is missing'),
    ],
)
def test_a_wrong_prompt_file_is_explained(tmp_path, old, new, message):
    own = tmp_path / "own.toml"
    text = DEFAULT.read_text()
    assert old in text
    own.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_prompts(own)
    assert message in str(caught.value)
    assert str(own) in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_prompts(tmp_path / "none.toml")


def test_fill_leaves_unknown_braces():
    assert fill("{a} {b} {}", {"a": "{b}"}) == "{b} {b} {}"
