"""What the dope sheet lists: a summary, each node with keys, each of its properties, sounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.contents import Audio
from polyorama.scene.properties_of import (
    NODE_PARAMETERS,
    VIEW_PARAMETERS,
    parameter_at,
    title_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.document import Document
    from polyorama.scene.timeline import Timeline

__all__ = ["Row", "rows_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One line of the sheet.

    Parameters
    ----------
    kind
        ``"summary"``, ``"node"``, ``"track"`` or ``"audio"``.
    id
        Path of a track, id of a node, "" for the summary; "view" and "document" are as nodes.
    title
        As it is shown.
    paths
        Tracks whose keys it shows.
    times
        (n,) float64, s, rising; of all its paths.
    folded
        Whether a node hides its tracks.
    switch
        Whether a track is of something that is on or off.
    """

    kind: str
    id: str
    title: str
    paths: tuple[str, ...]
    times: NDArray[np.float64]
    folded: bool = False
    switch: bool = False


_NONE = np.empty(0)


def rows_of(
    document: Document,
    timeline: Timeline,
    folded: frozenset[str],
    words: dict[str, str],
    times: Callable[[str], NDArray[np.float64]],
) -> tuple[Row, ...]:
    """The rows of a document.

    Parameters
    ----------
    document
        Gives names and order.
    timeline
        Its tracks, or those of a drag that is still going on.
    folded
        Ids of nodes that hide their tracks.
    words
        Titles of ``"summary"``, ``"view"`` and ``"document"`` in the person's language.
    times
        Gives the times of a track's keys by its path.
    """
    by_owner: dict[str, list[str]] = {}
    for path in timeline.tracks:
        by_owner.setdefault(path.partition("/")[0], []).append(path)
    names = {node.id: node.name for node in document.nodes if node.id in by_owner}
    owners = [owner for owner in ("view", "document", *names) if owner in by_owner]
    rows: list[Row] = []
    known: list[str] = []
    for owner in owners:
        paths = sorted(by_owner[owner], key=_order(document, owner))
        known += paths
        is_folded = owner in folded
        title = names.get(owner, words.get(owner, owner))
        rows.append(Row("node", owner, title, tuple(paths), _union(times, paths), is_folded))
        if not is_folded:
            for path in paths:
                title, switch = track_title(document, path), _is_switch(document, path)
                rows.append(Row("track", path, title, (path,), times(path), switch=switch))
    if len(known) > 1:
        rows.insert(0, Row("summary", "", words["summary"], tuple(known), _union(times, known)))
    rows += [
        Row("audio", node.id, node.name, (), _NONE)
        for node in document.nodes
        if isinstance(node.content, Audio)
    ]
    return tuple(rows)


def _order(document: Document, owner: str) -> Callable[[str], tuple[int, int, str]]:
    """Sorts properties of an owner: its own first, then those of its modifiers in their order."""
    stack = []
    if owner not in ("view", "document"):
        stack = [modifier.id for modifier in document.node(owner).modifiers]
    usual = [p.name for p in (*NODE_PARAMETERS[1:], NODE_PARAMETERS[0], *VIEW_PARAMETERS)]

    def place(path: str) -> tuple[int, int, str]:
        first, _, second = path.partition("/")[2].partition("/")
        if second:
            return (1 + stack.index(first) if first in stack else len(stack) + 1, 0, second)
        return (0, usual.index(first) if first in usual else len(usual), first)

    return place


def track_title(document: Document, path: str) -> str:
    """What a track is called below its node."""
    try:
        whole = title_at(document, path)
    except UsageError:
        return path.partition("/")[2]
    return whole.partition(" · ")[2].replace("_", " ")


def _is_switch(document: Document, path: str) -> bool:
    try:
        return parameter_at(document, path).kind == "flag"
    except UsageError:
        return False


def _union(times: Callable[[str], NDArray[np.float64]], paths: list[str]) -> NDArray[np.float64]:
    if len(paths) == 1:
        return times(paths[0])
    return np.unique(np.concatenate([times(path) for path in paths]))
