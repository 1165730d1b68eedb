"""Selecting by the colour of one splat: everywhere, or what hangs together with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.edit.ops import op
from polyorama.edit.selection_ops import picked
from polyorama.errors import UsageError
from polyorama.scene.selection import BitSet
from polyorama.scene.stack import stacked
from polyorama.verbs.selecting import flood

if TYPE_CHECKING:
    from polyorama.scene.document import Document

__all__ = ["select_alike"]


@op("Select colours like one splat's")
def select_alike(
    document: Document,
    node: str,
    splat: int,
    tolerance: float = 0.1,
    connected: bool = False,
    mode: str = "set",
) -> Document:
    """Select the splats whose base colour is like that of one of them.

    Parameters
    ----------
    document
        What is edited.
    node, splat
        Name or id of a splat node, and which of its splats.
    tolerance
        Largest distance of two display RGB colours, 0..1 each channel.
    connected
        Only splats of that node that are reached from it over neighbours of such colours; the
        surface's colour is compared then, as `flood` does.
    mode
        ``"set"``, ``"add"``, ``"remove"`` or ``"intersect"``.

    Raises
    ------
    UsageError
        If there is no such splat.
    """
    holder = document.node(node)
    count = len(holder.splats) if holder.splats is not None else 0
    if not 0 <= splat < count:
        raise UsageError(f"Node {holder.name!r} has {count} splats; there is no number {splat}.")
    shown = stacked(document, holder).cloud
    color = tuple(float(c) for c in np.clip(shown.subset(np.array([splat])).colors[0], 0.0, 1.0))
    if not connected:
        return flood(document, tolerance, False, mode, color)
    seed = picked(document, {holder.id: BitSet.of_indices([splat], count)}, "set")
    if not seed.selection:
        raise UsageError("The splat cannot be picked: it is locked, hidden or deleted.")
    found = flood(seed, tolerance, True, "set")
    return picked(document, dict(found.selection), mode)
