"""What the node tree says of its cells, which nodes a search finds, how far two trees differ."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from polyorama_studio.panels.kinds import kind_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from polyorama.scene.document import Node

__all__ = [
    "EYE", "LOCK", "NAME", "cell_tip", "found_nodes", "spoken_cell", "standing", "steps_between",
]  # fmt: skip

NAME, EYE, LOCK = 0, 1, 2
"""Columns."""


def _translated(text: str) -> str:
    return QCoreApplication.translate("NodeTree", text)


def spoken_cell(node: Node, column: int) -> str:
    """A cell as a screen reader says it."""
    if column == EYE:
        return _translated("visible") if node.visible else _translated("hidden")
    if column == LOCK:
        return _translated("locked") if node.fixed else _translated("not locked")
    return f"{node.name}, {kind_title(node)}"


def cell_tip(node: Node, column: int) -> str:
    """What a cell is, or does."""
    if column == EYE:
        verb = _translated("Hide") if node.visible else _translated("Show")
        words = _translated("Alt shows it alone")
        return f"{verb}; {words}\ndoc.show({node.name!r}, visible={not node.visible})"
    if column == LOCK:
        verb = (
            _translated("Unlock") if node.fixed else _translated("Lock: neither picked nor moved")
        )
        return f"{verb}\ndoc.fix({node.name!r}, fixed={not node.fixed})"
    lines = [node.name, kind_title(node)]
    if node.source is not None:
        lines.append(node.source.path)
    return "\n".join(lines)


def found_nodes(nodes: Sequence[Node], text: str) -> list[Node]:
    """Nodes whose name holds a text, or whose kind is it, and what they lie below; "" is all."""
    if not text:
        return list(nodes)
    found: set[str] = set()
    above = {node.id: node.parent for node in nodes}
    for node in nodes:
        if text in node.name.casefold() or text == kind_title(node).casefold():
            at: str | None = node.id
            while at is not None and at not in found:
                found.add(at)
                at = above[at]
    return [node for node in nodes if node.id in found]


def standing(present: Sequence[str], wanted: Sequence[str]) -> set[str]:
    """The most of those in both that need not be moved to bring `present` into the wanted order.

    That is a longest run of `present`, gaps allowed, that is in order already.
    """
    place = {name: i for i, name in enumerate(wanted)}
    names = [name for name in present if name in place]
    ends: list[int] = []  # last places of the best runs, by their length
    runs: list[int] = []  # which of `names` ends the best run of each length
    before: list[int] = []
    for i, name in enumerate(names):
        at = bisect_left(ends, place[name])
        before.append(runs[at - 1] if at else -1)
        if at == len(ends):
            ends.append(place[name])
            runs.append(i)
        else:
            ends[at], runs[at] = place[name], i
    kept: set[str] = set()
    i = runs[-1] if runs else -1
    while i >= 0:
        kept.add(names[i])
        i = before[i]
    return kept


def steps_between(
    shown: Mapping[str | None, Sequence[str]],
    wanted: Mapping[str | None, Sequence[str]],
    gone: AbstractSet[str],
) -> int:
    """How many rows have to be moved, put in or taken out.

    Parameters
    ----------
    shown, wanted
        Ids of children by the id of their parent, as they are and as they shall be.
    gone
        Ids of those that are no more.
    """
    steps = len(gone)
    for parent, ids in wanted.items():
        old = shown.get(parent, ())
        if ids != old:
            steps += len(ids) - len(standing(old, ids))
    return steps
