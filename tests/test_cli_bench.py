import json

from posh_lite.cli import main


def test_a_table_of_where_the_time_goes(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    rows = [{"id": str(n), "generation": "A man in a red coat.", "reference": f"{n} men."} for n in range(3)]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["bench", str(pairs), "--judge", "judges:Hashing", "--limit", "2"]) == 0
    said = capsys.readouterr().out
    assert "pairs       2 of" in said
    for step in ("pairs per second", "parsing", "graphs", "questions", "judging", "signature"):
        assert step in said


def test_without_data_the_embedded_corpus_serves(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["bench", "--judge", "judges:Hashing", "--limit", "1"]) == 0
    assert "embedded corpus" in capsys.readouterr().out


def test_nothing_to_score(tmp_path, capsys):
    (tmp_path / "empty.jsonl").write_text("")
    assert main(["bench", str(tmp_path / "empty.jsonl")]) == 2
    assert "no pairs" in capsys.readouterr().err
