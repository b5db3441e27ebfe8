"""The lexical judge: scene-graph matching with curated word knowledge, the embedded default."""

from posh_lite.judge.lexical.judge import LexicalJudge

__all__ = ["LexicalJudge"]
