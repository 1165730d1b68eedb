"""The edit stack carried out: what a splat node looks like after its modifiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene import modifiers as kinds
from polyorama.scene.contents import CropVolume
from polyorama.scene.modify import colors, palette, splatwise, volumes
from polyorama.scene.modify.step import DELETED, HIDDEN, LOCKED, SELECTED, Place, Step
from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama.scene.splats import SplatCloud

__all__ = ["DELETED", "HIDDEN", "LOCKED", "SELECTED", "StackedSplats", "stacked"]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class StackedSplats:
    """A node's splats after its edit stack.

    Parameters
    ----------
    cloud
        Their arrays, before the palette moves them.
    state
        (N,) uint8 of `SELECTED`, `HIDDEN`, `DELETED` and `LOCKED`, or None where all are 0.
    palette
        (P, 3, 4) float64 affine maps, entry 0 the identity, or None.
    palette_index
        (N,) uint16, which map moves a splat, or None.
    in_source
        Whether splat i is splat i of the node's own cloud.
    """

    cloud: SplatCloud
    state: NDArray[np.uint8] | None = None
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    in_source: bool = True

    def means(self) -> NDArray[np.float32]:
        """(N, 3) float32 centres in the node's own space, after the palette."""
        return palette.moved_means(self._step())

    def baked(self) -> SplatCloud:
        """A cloud that needs neither palette nor state: moved for good, deleted splats dropped."""
        cloud = palette.baked(self._step())
        if self.state is None:
            return cloud
        gone = (self.state & DELETED) != 0
        return cloud.subset(~gone) if gone.any() else cloud

    def _step(self) -> Step:
        return Step(self.cloud, self.palette, self.palette_index)


def stacked(document: Document, node: Node, time: float = 0.0) -> StackedSplats:
    """The splats of a node after its edit stack.

    Parameters
    ----------
    document
        At its time already (see `polyorama.scene.properties_of.at_time`).
    node
        A splat node of it.
    time
        Seconds; it matters to noise and wind alone.

    Raises
    ------
    UsageError
        If the node holds no splats, or a modifier cannot be carried out.
    """
    if node.splats is None:
        raise UsageError(f"Node {node.name!r} holds no splats.")
    step = Step(node.splats)
    for modifier in node.modifiers:
        if modifier.enabled and modifier.strength > 0.0:
            step = _carried_out(step, modifier, _place(document, node, modifier, time))
    state = _state(document, node, step)
    return StackedSplats(step.cloud, state, step.palette, step.palette_index, step.rows is None)


def _place(document: Document, node: Node, modifier: Modifier, time: float) -> Place:
    if not (isinstance(modifier, kinds.Crop) and modifier.volume):
        return Place(time)
    held = {n.id: n.content for n in document.nodes}.get(modifier.volume)
    if not isinstance(held, CropVolume):
        raise UsageError(
            f"The crop {modifier.name or modifier.id!r} of node {node.name!r} takes its place from "
            "a volume that is not there any more; choose another one."
        )
    volume = np.linalg.inv(document.world(node.id)) @ document.world(modifier.volume)
    return Place(time, held.shape, volume)


def _mask(step: Step, rule: str) -> NDArray[np.bool_]:
    view = replace(step.cloud, means=palette.moved_means(step))
    return parse_rule(rule).mask(view)


def _carried_out(step: Step, modifier: Modifier, place: Place) -> Step:
    chosen: NDArray[np.bool_] | None = None
    if isinstance(modifier.mask, str):
        chosen = _mask(step, modifier.mask)
    elif isinstance(modifier.mask, BitSet):
        chosen = modifier.mask.mask()
    match modifier:
        case kinds.Transform():
            return palette.transform(step, modifier, chosen)
        case kinds.Grade():
            return colors.grade(step, modifier, chosen)
        case kinds.Crop():
            return volumes.crop(step, modifier, chosen, place)
        case kinds.Delete():
            which = _mask(step, modifier.rule)
            return splatwise.removed(
                step, which if chosen is None else which & chosen, modifier.strength
            )
        case kinds.Opacity():
            return splatwise.opacity(step, modifier, chosen)
        case kinds.Size():
            return splatwise.size(step, modifier, chosen)
        case kinds.Fill():
            return colors.fill(step, modifier, chosen)
        case kinds.SHLevel():
            return colors.sh_level(step, modifier, chosen)
    raise UsageError(f"{modifier.title} is not carried out yet.")


def _state(document: Document, node: Node, step: Step) -> NDArray[np.uint8] | None:
    sets = (
        (SELECTED, document.selection.get(node.id)),
        (HIDDEN, node.hidden),
        (DELETED, node.deleted),
        (LOCKED, node.locked),
    )
    state = step.gone
    for bit, bits in sets:
        if bits is not None:
            part = bits.mask().view(np.uint8) * np.uint8(bit)
            state = part if state is None else state | part
    if state is not None:
        state.flags.writeable = False
    return state
