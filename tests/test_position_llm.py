"""Extractor, verifier and two judges that ask a model: what a reply means is read, the rest is counted."""

import json

import pytest
from asked_server import says, text_of
from faulty_server import FaultyServer, Reply
from hypothesis import given
from hypothesis import strategies as st

from posh_lite.baselines.chat_types import ChatReply
from posh_lite.errors import InputError, JudgeDown, JudgeError
from posh_lite.position.llm_generic import HolisticJudge, LlmGenericity
from posh_lite.position.llm_rubric import LlmExtractor, make_rubric, read_claims
from posh_lite.position.llm_verify import LlmVerifier, find_quote, read_answers
from posh_lite.position.types import Claim, Extractor, Rubric, Verifier
from posh_lite.records import Pair

REFERENCE = "A red cat sleeps on a mat. It has {green} eyes and 100% of the sun."
CAPTION = "A red cat lies on a rug. Two birds watch it."


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "POSH_LITE_REPLIES"):
        monkeypatch.delenv(name, raising=False)


def item(claim, dimension="Visual_Detail", **more):
    return {"claim": claim, "dimension": dimension, "keyword": claim.rpartition(" ")[2], **more}


def rubric(*texts, reference=REFERENCE):
    return Rubric(reference, tuple(Claim(i, t, "Entity", 1.0, t.split()[-1]) for i, t in enumerate(texts)), "test")


def made(kind, server, **options):
    pytest.importorskip("openai", reason="the extra openai is not installed")
    return kind("m", url=server.url, backoff=0.002, retries=2, progress=False, **options)


# -- claims ---------------------------------------------------------------------------------------------------

GOOD = [item("The cat is red.", words="red cat"), item("A cat sleeps on a mat.", "Interaction")]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"claims": GOOD}),
        json.dumps(GOOD),
        json.dumps({"rubric": GOOD}),
        json.dumps({"checklist": {"items": GOOD}}),
        json.dumps({"1": GOOD[0], "2": GOOD[1]}),
        "Sure! Here it is:\n```json\n" + json.dumps(GOOD, indent=1) + "\n```\nI hope that helps.",
        str(GOOD),  # single quotes
        "\n".join(map(json.dumps, GOOD)),  # a claim a line
        json.dumps(GOOD)[:-1] + ",]",
        "<think>A cat [1], perhaps red?</think>" + json.dumps(GOOD),
        json.dumps([{"Claim": i["claim"], "Dimension": i["dimension"].replace("_", " ").lower()} for i in GOOD]),
        json.dumps({"Visual_Detail": ["The cat is red."], "Interaction": ["A cat sleeps on a mat."]}),
        json.dumps({"claims": {"visual detail": [{"claim": "The cat is red.", "keyword": "red"}],
                               "interaction": [{"claim": "A cat sleeps on a mat."}], "entity": []}}),
        json.dumps([{"dimension": "Visual_Detail", "claims": ["The cat is red."]},
                    {"dimension": "Interaction", "claims": ["A cat sleeps on a mat."]}]),
    ],
)
def test_claims_are_read_however_the_list_comes(text):
    told, dropped = read_claims(ChatReply(text=text))
    assert [t.text for t in told] == ["The cat is red.", "A cat sleeps on a mat."]
    assert [t.kind for t in told] == ["Visual_Detail", "Interaction"]
    assert dropped == 0


def test_a_list_that_was_cut_off_keeps_its_whole_claims_and_counts_the_rest():
    text = json.dumps({"claims": [*GOOD, item("The mat is woven from straw.")]})
    at = text.index("woven")
    told, dropped = read_claims(ChatReply(text=text[:at], cut=True))
    assert [t.text for t in told] == [g["claim"] for g in GOOD]
    assert dropped >= 1


@pytest.mark.parametrize("text", ["", "I cannot do that.", "[]", "{}", '{"claims": []}', "[1, 2]", '["a", "b"]'])
def test_nothing_is_read_from_nothing(text):
    assert read_claims(ChatReply(text=text))[0] == []


def test_items_without_a_sentence_or_a_kind_are_counted():
    rows = [GOOD[0], {"dimension": "Entity"}, item("There is a bird.", "Sound"), item("", "Entity"), "words"]
    told, dropped = read_claims(ChatReply(text=json.dumps(rows)))
    assert ([t.text for t in told], dropped) == (["The cat is red."], 4)


def test_a_weight_that_only_one_kind_has_tells_the_kind():
    rows = [item("The cat is red.", "looks", weight=2.0), item("A cat sits there.", "what", weight=1.0)]
    told, dropped = read_claims(ChatReply(text=json.dumps(rows)))
    assert ([t.kind for t in told], dropped) == (["Visual_Detail"], 1)


def test_a_rubric_has_each_claim_once_and_none_that_is_short_or_begins_with_a_pronoun():
    rows = [
        item("The cat is red.", words="red  CAT"), item("the  cat IS red"), item("Red cat."),
        item("It has green eyes."), item("They sleep on a mat."), item("This is quite red."),
        item("This cat has eyes.", "Entity", words="cat sleeps"),
        item("There is a dragon here.", "Entity", words="a big dragon"), item("One cat sleeps.", "Interaction"),
    ]
    told, dropped = read_claims(ChatReply(text=json.dumps(rows)))
    found = make_rubric(REFERENCE, told, dropped, "s")
    assert [c.text for c in found.claims] == [
        "The cat is red.", "This cat has eyes.", "There is a dragon here.", "One cat sleeps.",
    ]
    assert [c.id for c in found.claims] == [0, 1, 2, 3]
    assert [c.weight for c in found.claims] == [2.0, 1.0, 1.0, 1.5]
    assert found.n_dropped == 5
    assert [REFERENCE[slice(*c.spans[0])] if c.spans else None for c in found.claims] == [
        "red cat", "cat sleeps", None, None,
    ]


# -- verdicts -------------------------------------------------------------------------------------------------


def statuses(text, n=3, cut=False):
    found = read_answers(ChatReply(text=text, cut=cut), n)
    return [found[i].status if i in found else None for i in range(n)]


S, C, M = "Supported", "Contradicted", "Missing"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"0": {"status": "supported", "evidence": "x"}, "1": {"status":"contradicted"}, "2": {"status":"missing"}}',
         [S, C, M]),
        ('{"0": {"Status": "SUPPORTED"}, "1": {"status": "Contradiction"}, "2": {"status": "not mentioned"}}',
         [S, C, M]),
        ('{"0": "supported", "1": "contradicted", "2": "missing"}', [S, C, M]),
        ('{"results": [{"index": 2, "status": "missing"}, {"index": 0, "status": "supported"}]}', [S, None, M]),
        ('[{"status": "supported"}, {"status": "missing"}, {"status": "missing"}]', [S, M, M]),
        ('[{"status": "supported"}, {"status": "missing"}]', [None, None, None]),  # which two?
        ('["supported", "missing", "contradicted"]', [S, M, C]),
        ('{"1": {"status": "supported"}, "2": {"status": "contradicted"}, "3": {"status": "missing"}}', [S, C, M]),
        ('{"1": {"status": "supported"}, "3": {"status": "missing"}}', [S, None, M]),  # 3 of 0 to 2: counted from 1
        ('{"1": {"status": "supported"}, "2": {"status": "missing"}}', [None, None, None]),  # from 0 or from 1?
        ('[{"index": 1, "status": "missing", "text": "A cat.", "evidence": null}, {"index": 0, "status": "supported"}]',
         [S, M, None]),
        ('{"index": 0, "status": "supported"}\n{"index": 1, "status": "missing"}\n{"index": 2, "status": "missing"}',
         [S, M, M]),
        ('{"0": "supported"}\n{"2": "missing"}', [S, None, M]),
        ('{"0": {"status": "supported"}, "7": {"status": "missing"}, "-1": {"status": "missing"}}', [S, None, None]),
        ('[{"id": 0, "status": "supported"}, {"id": 0, "status": "missing"}, {"id": 1, "status": "missing"}]',
         [None, M, None]),
        ('[{"id": 0, "status": "supported"}, {"id": 0, "status": "Supported"}, {"id": 1, "status": "missing"}]',
         [S, M, None]),
        ('{"0": {"status": "not supported"}, "1": {"status": "perhaps"}, "2": {"status": 1}}', [None, None, None]),
        ('[{"item 0": {"status": "missing"}}, {"item 1": {"status": "supported"}}]', [M, S, None]),
        ("Here you go: ```json\n{'0': {'status': 'supported', 'evidence': \"the cat's mat\",}, }\n```",
         [S, None, None]),
        ('{"0": {"status": "supported"}} Let me check. {"0": {"status": "missing"}}', [M, None, None]),
        ("", [None, None, None]),
        ("All three are supported.", [None, None, None]),
    ],
)
def test_verdicts_are_read_as_meant_and_never_guessed(text, expected):
    assert statuses(text) == expected


@pytest.mark.parametrize("tail", ["}", ",}", "\n"])  # strict, a comma too many, a bracket too few
def test_a_key_that_comes_twice_is_read_only_where_both_answers_agree(tail):
    twice = '{"0": "supported", "1": "missing", "0": "contradicted", "1": "missing"' + tail
    found = read_answers(ChatReply(text=twice), 2)
    assert (found[0].status, found[1].status) == (None, "Missing")
    assert found[0].reason == "answered twice: Supported and Contradicted"


def test_numbers_that_fit_both_ways_of_counting_are_not_read():
    text = '{"2": {"status": "supported"}, "3": {"status": "missing"}}'
    assert statuses(text, 4) == [None] * 4  # the third and fourth, or the second and third
    assert statuses(text, 3) == [None, S, M]


def test_the_words_of_the_item_are_not_taken_for_evidence_that_is_none():
    rows = [{"index": 0, "text": "A red cat", "status": "supported", "evidence": None}]
    assert read_answers(ChatReply(text=json.dumps(rows)), 1)[0].quote == ""


@pytest.mark.parametrize("text", ['{"1": {"status": "supported", "evidence": "red cat"}}', '["supported"]',
                                  '[{"status": "supported", "evidence": "red cat"}]'])
def test_a_model_that_counts_from_one_or_not_at_all_is_not_taken_for_one_that_cannot_answer(text):
    claims = rubric(*(f"Thing number {i} is there." for i in range(20)))
    with FaultyServer(lambda r: says(text)) as server:
        (found,) = made(LlmVerifier, server, claims=1).verify([(CAPTION, claims)])
    assert [f.status for f in found] == [S] * 20


def test_half_a_reply_counts_for_what_it_holds():
    whole = '{"0": {"status": "supported", "evidence": "a"}, "1": {"status": "missing", "evidence": ""}, "2": {"sta'
    assert statuses(whole, cut=True) == [S, M, None]


@given(st.text(max_size=200), st.integers(0, 5), st.booleans())
def test_any_text_is_read_without_a_fault(text, n, cut):
    found = read_answers(ChatReply(text=text, cut=cut), n)
    assert all(0 <= i < n for i in found)
    read_claims(ChatReply(text=text, cut=cut))


@given(st.lists(st.sampled_from(["supported", "contradicted", "missing"]), min_size=1, max_size=12), st.booleans())
def test_numbers_from_zero_and_from_one_say_the_same(words, from_one):
    rows = {str(i + from_one): {"status": w} for i, w in enumerate(words)}
    assert [s.lower() for s in statuses(json.dumps(rows), len(words))] == words


def test_a_quotation_with_a_gap_is_found_by_its_longest_part():
    assert CAPTION[slice(*find_quote("Two birds ... on a sofa", CAPTION).span)] == "Two birds"
    assert find_quote("no such ... thing here", CAPTION).span is None


# -- against a server -----------------------------------------------------------------------------------------


def test_the_extractor_asks_once_a_reference_and_fills_in_braces_as_they_are():
    with FaultyServer(lambda r: says(json.dumps(GOOD))) as server:
        extractor = made(LlmExtractor, server)
        assert isinstance(extractor, Extractor)
        first, second = extractor.extract([REFERENCE, REFERENCE])
        assert first == second
        assert [c.text for c in first.claims] == ["The cat is red.", "A cat sleeps on a mat."]
        assert len(server.asked) == 1
        assert REFERENCE in text_of(server.asked[0])
        assert extractor.prompts.digest[:12] in extractor.signature


def test_the_example_of_the_prompt_is_no_claim_of_a_reference():
    example = [item("The dog is black and tan.", words="a black and tan dog"), item("A cat sleeps on a mat.")]
    for reference, texts in (
        (REFERENCE, ["A cat sleeps on a mat."]),
        ("A black and tan dog. A cat.", ["The dog is black and tan.", "A cat sleeps on a mat."]),
    ):
        with FaultyServer(lambda *_: says(json.dumps(example))) as server:
            found = made(LlmExtractor, server).extract([reference])[0]
        assert [c.text for c in found.claims] == texts
        assert found.n_dropped == 2 - len(texts)


def test_a_reference_without_claims_is_counted_and_named():
    with FaultyServer(lambda r: says(json.dumps(GOOD) if "cat" in text_of(r) else "No.")) as server:
        extractor = made(LlmExtractor, server)
        extractor.tell([Pair("dog-7", "A dog.", "Nothing but a dog.")])
        with pytest.warns(UserWarning, match="dog-7: no rubric"):
            good, empty = extractor.extract([REFERENCE, "Nothing but a dog."])
        assert (len(good.claims), empty.claims, extractor.n_unread) == (2, (), 1)


def test_the_verifier_places_evidence_and_counts_what_it_cannot():
    claims = rubric("The cat is red.", "A cat lies on a mat.", "Three birds watch.", "The mat is old.", "A bird sings.")
    reply = {
        "0": {"status": "supported", "evidence": "A red cat"},
        "1": {"status": "contradicted", "evidence": "lies on a RUG"},
        "2": {"status": "contradicted", "evidence": "Three birds watch it"},  # a number that the caption does not have
        "3": {"status": "missing", "evidence": "a red cat"},
        "4": {"status": "supported", "evidence": "None"},
    }
    with FaultyServer(lambda r: says(json.dumps(reply))) as server:
        verifier = made(LlmVerifier, server)
        assert isinstance(verifier, Verifier)
        (found,) = verifier.verify([(CAPTION, claims)])
    assert [f.status for f in found] == [S, C, C, M, S]
    assert [f.match for f in found] == ["exact", "normalized", "unmatched", "none", "unmatched"]
    assert [CAPTION[slice(*f.evidence)] if f.evidence else None for f in found] == [
        "A red cat", "lies on a rug", None, None, None,
    ]


def test_long_rubrics_are_asked_in_parts_and_come_back_in_order():
    claims = rubric(*(f"Thing number {i} is there." for i in range(7)))

    def reply(asked):
        listed = [line for line in text_of(asked).splitlines() if "Thing number" in line]
        return says(json.dumps({line.split(".")[0]: {"status": "supported" if "4" in line else "missing"}
                                for line in listed}))

    with FaultyServer(reply) as server:
        (found,) = made(LlmVerifier, server, claims=3).verify([(CAPTION, claims)])
        assert len(server.asked) == 3
    assert [f.claim for f in found] == list(range(7))
    assert [f.status for f in found] == [M, M, M, M, S, M, M]


def test_a_failed_reply_leaves_claims_without_a_verdict_and_never_missing():
    def reply(asked):
        refused = Reply({"error": {"message": "blocked by our content policy"}}, status=400)
        return says('{"0": {"status": "missing"}}') if asked.number == 0 else refused

    with FaultyServer(reply) as server:
        verifier = made(LlmVerifier, server)
        with pytest.warns(UserWarning, match="1 claims of 1 captions have no readable verdict"):
            first, second = verifier.verify([(CAPTION, rubric("A cat is red.")), ("A dog.", rubric("A dog runs."))])
    assert (first[0].status, second[0].status) == (M, None)
    assert "content policy" in second[0].reason


def test_a_text_that_does_not_fit_is_an_error_that_names_the_pair():
    error = {"error": {"message": "This model's maximum context length is 4096 tokens", "code":
                       "context_length_exceeded"}}
    with FaultyServer(lambda r: Reply(error, status=400)) as server:
        verifier = made(LlmVerifier, server)
        verifier.tell([Pair("long-9", CAPTION, REFERENCE)])
        with pytest.raises(JudgeError, match="long-9"):
            verifier.verify([(CAPTION, rubric("A cat is red."))])


def test_a_model_that_never_answers_as_it_must_is_found_out_early():
    claims = rubric(*(f"Thing number {i} is there." for i in range(40)))
    with FaultyServer(lambda r: says("I would rather talk of the weather.")) as server:
        verifier = made(LlmVerifier, server, claims=1)
        with pytest.raises(JudgeError, match="none of the first 16 replies"):
            verifier.verify([(CAPTION, claims)])


def test_replies_are_kept_and_not_asked_again(tmp_path):
    log = tmp_path / "replies.sqlite"
    with FaultyServer(lambda r: says('{"0": {"status": "supported", "evidence": "red cat"}}')) as server:
        one = made(LlmVerifier, server, log=log).verify([(CAPTION, rubric("A cat is red."))])
        two = made(LlmVerifier, server, log=log).verify([(CAPTION, rubric("A cat is red."))])
        assert one == two
        assert len(server.asked) == 1
    assert b"red cat" not in log.read_bytes()


def test_a_server_that_is_gone_says_so():
    with FaultyServer() as server:
        verifier = made(LlmVerifier, server)
    with pytest.raises(JudgeDown):
        verifier.verify([(CAPTION, rubric("A cat is red."))])


def test_prompts_can_be_replaced_and_are_checked(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[ask]\nverify = "Caption {generation} without a list"\n')
    with FaultyServer() as server, pytest.raises(InputError, match="units"):
        made(LlmVerifier, server, prompts=own)
    own.write_text('[ask]\nverify = "{generation} and {units}"\n')
    with FaultyServer(lambda r: says('{"0": "missing"}')) as server:
        verifier = made(LlmVerifier, server, prompts=own)
        assert verifier.signature != made(LlmVerifier, server).signature
        verifier.verify([("A {units} cat.", rubric("A cat is red."))])
        assert text_of(server.asked[0]) == "A {units} cat. and 0. A cat is red."


# -- genericity and the holistic mark -------------------------------------------------------------------------


def test_genericity_has_the_scale_of_the_embedded_judge():
    def reply(asked):
        return says('{"generic": 0.9}' if "The mood is" in text_of(asked) else "```{'generic': 0}```")

    with FaultyServer(reply) as server:
        judge = made(LlmGenericity, server)
        found = judge.judge_all(["The mood is calm.", "A red cat.", "...", "The mood is calm."])
        assert [(g.score, g.generic) for g in found] == [(0.9, True), (0.0, False), (1.0, True), (0.9, True)]
        assert len(server.asked) == 2


def test_a_number_off_the_scale_is_no_judgement():
    with FaultyServer(lambda r: says('{"generic": 7}')) as server:
        judge = made(LlmGenericity, server)
        assert judge.judge_all(["A red cat."]) == [None]
        with pytest.raises(JudgeError, match="A red cat"):
            judge.judge("A red cat.")


def test_the_holistic_mark_lies_between_zero_and_one_and_is_nan_where_unread():
    with FaultyServer(lambda r: says('{"score": 6}' if "dog" not in text_of(r) else "fine")) as server:
        marks = made(HolisticJudge, server).marks([(CAPTION, rubric("A cat.")), ("A dog.", rubric("A cat."))])
    assert marks[0] == 0.6
    assert marks[1] != marks[1]


def test_a_model_has_to_be_named():
    with pytest.raises(InputError, match="which model"):
        LlmVerifier("")
