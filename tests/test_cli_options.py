"""What the command line says of an argument that it does not have."""

from __future__ import annotations

import pytest

from posh_lite.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "pairs.jsonl", "--componets"], "did you mean --components?"),
        (["score", "pairs.jsonl", "--treshold=2"], "did you mean --threshold?"),
        (["graph", "-", "--quux-12"], "see posh-lite graph --help"),
    ],
)
def test_a_mistyped_option_gets_the_nearest(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err
