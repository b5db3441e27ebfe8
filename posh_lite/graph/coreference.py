"""The embedded coreference resolver: rules over the record of a text's mentions, no model needed.

Mentions are read in text order and each is given to an earlier entity or made a new one. Grammar settles relative
pronouns, appositions and predicate nouns; agreement and salience settle pronouns; head, describing words, number and
owner settle repeated nouns; groups know their members. The work a mention needs does not grow with the text.
"""

from __future__ import annotations

from posh_lite.graph.coreference_board import PRONOUNS, Board, Thing, is_pronoun, kind_of
from posh_lite.graph.coreference_groups import is_ellipsis, is_group, resolve_ellipsis, resolve_group
from posh_lite.graph.coreference_nouns import resolve_noun
from posh_lite.graph.coreference_pronouns import cataphor, resolve_pronoun
from posh_lite.graph.mentions import Candidate, CoreferenceResolver, MentionDocument, Resolution

__all__ = ["CoreferenceResolver", "EmbeddedResolver", "Resolution"]


class EmbeddedResolver:
    """Coreference by rule, deterministic and in time that grows with the length of the text alone."""

    @property
    def signature(self) -> str:
        """Name and version of the rules; raise the version with every change of behaviour."""
        return "embedded-2"

    def resolve(self, document: MentionDocument) -> Resolution:
        """Cluster the candidates of one document.

        Args:
            document: the text and its candidates in text order.

        Returns:
            Clusters of two mentions or more in text order, and the members of each group that names them.
        """
        board = Board(document)
        pending: set[int] = set()
        for candidate in document.candidates:
            self._visit(board, candidate.index, pending)
        return _resolution(board)

    def _visit(self, board: Board, index: int, pending: set[int]) -> None:
        if board.home[index] is not None or index in pending:
            return
        pending.add(index)
        candidate = board.candidates[index]
        # The whole of a part decides which part it is, and may follow it: "the back of the girl's neck".
        for needed in (candidate.possessor, candidate.whole):
            if needed is not None and board.candidates[needed].sentence == candidate.sentence:
                self._visit(board, needed, pending)
        self._place(board, candidate, pending)

    def _place(self, board: Board, candidate: Candidate, pending: set[int]) -> None:
        if candidate.quoted or candidate.role == "writing":
            board.create(candidate)
            return
        if candidate.role == "viewer" or candidate.person != 3:
            self._take_role(board, candidate, "viewer")
            return
        for settled in (candidate.antecedent, candidate.predicate_of):
            if settled is None or settled == candidate.index or candidate.negated:
                continue
            self._visit(board, settled, pending)
            thing = board.of(settled)
            if thing is not None and (candidate.kind == "relative" or self._may_be(board, thing, candidate, settled)):
                board.add(thing, candidate)
                return
            if settled == candidate.antecedent:
                board.refused.add(candidate.index)
        if candidate.kind == "relative":
            return
        if candidate.text.lower() in PRONOUNS:
            ahead = cataphor(board, candidate)
            if ahead is not None:
                self._visit(board, ahead, pending)
                thing = board.of(ahead)
                if thing is not None:
                    board.add(thing, candidate)
                    return
            resolve_pronoun(board, candidate)
        elif is_ellipsis(candidate):
            resolve_ellipsis(board, candidate)
        elif candidate.role == "picture" and not candidate.plural and not candidate.negated:
            self._take_role(board, candidate, "picture")
        elif is_pronoun(candidate) or (is_group(candidate) and resolve_group(board, candidate)):
            return  # "this", "something": nothing to point at
        else:
            resolve_noun(board, candidate)

    @staticmethod
    def _may_be(board: Board, thing: Thing, candidate: Candidate, settled: int) -> bool:
        """Whether an apposition or a predicate noun can be what it stands beside; items of a list cannot."""
        listed = candidate.coordination is not None and candidate.predicate_of is None
        bare = candidate.determiner == "none" and candidate.kind == "noun" and candidate.text.islower()
        beside = candidate.predicate_of is None and (candidate.determiner == "possessive" or bare)
        between = board.document.text[board.candidates[settled].end : candidate.phrase[0]]
        after = board.document.text[candidate.end : candidate.end + 6].lower()
        listed = listed or ";" in between or (candidate.predicate_of is None and after.startswith((", and ", ", or ")))
        other = kind_of(candidate) == "person" and thing.kind in ("thing", "animal") and candidate.predicate_of is None
        own = board.of(candidate.possessor) is thing  # "the flowers, their petals"
        return thing.plural == candidate.plural and not (listed or beside or own or other)

    def _take_role(self, board: Board, candidate: Candidate, role: str) -> None:
        """There is one viewer and one picture in a description."""
        known = board.by_role.get(role)
        if role == "picture" and candidate.determiner == "a" and candidate.sentence > 0:
            known = None  # "a 45-degree angle" is not the picture again
        if known is None:
            thing = board.create(candidate)
            thing.plural, thing.role = False, role
            board.by_role.setdefault(role, thing.id)
        else:
            board.add(board.things[known], candidate)


def _resolution(board: Board) -> Resolution:
    clusters = tuple(tuple(sorted(thing.mentions)) for thing in board.things if len(thing.mentions) > 1)
    groups = {
        min(thing.mentions): tuple(sorted(min(board.things[m].mentions) for m in thing.members))
        for thing in board.things if thing.members
    }
    return Resolution(clusters=tuple(sorted(clusters)), groups=groups)
