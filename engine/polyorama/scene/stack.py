"""The edit stack carried out: what a splat node looks like after its modifiers.

Each modifier is a pure function of a few arrays (`polyorama.scene.modify`), and what it makes is
kept under the very arrays and values that it read. So a change of one modifier recomputes what
depends on it and nothing else, and arrays that did not change are the same objects as before.
"""

from __future__ import annotations

import dataclasses
import threading
import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.scene import modifiers as kinds
from polyorama.scene.contents import CropVolume
from polyorama.scene.kept import Kept, Same
from polyorama.scene.modify import colors, displace, masks, palette, splatwise, thinning, volumes
from polyorama.scene.modify.step import (
    ARRAYS,
    DELETED,
    HIDDEN,
    LOCKED,
    SELECTED,
    Place,
    Step,
    changes,
)
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama.scene.splats import SplatCloud

__all__ = ["DELETED", "HIDDEN", "LOCKED", "SELECTED", "StackedSplats", "stacked", "stacking"]

_kept = Kept(2 << 30)
_locks: weakref.WeakKeyDictionary[SplatCloud, threading.RLock] = weakref.WeakKeyDictionary()
_lock_guard = threading.Lock()
_results: weakref.WeakValueDictionary[tuple[int, str], StackedSplats] = (
    weakref.WeakValueDictionary()
)


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
    rows
        (N,) int64, the splat of the node's own cloud that each stands for; None if `in_source`.
    """

    cloud: SplatCloud
    state: NDArray[np.uint8] | None = None
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    in_source: bool = True
    rows: NDArray[np.int64] | None = None

    def means(self) -> NDArray[np.float32]:
        """(N, 3) float32 centres in the node's own space, after the palette; kept."""
        return _moved(self.cloud.means, self.palette, self.palette_index)

    def baked(self) -> SplatCloud:
        """A cloud that needs neither palette nor state: moved for good, deleted splats dropped.

        Raises
        ------
        UsageError
            If splats would leave the range of 32-bit numbers.
        """
        cloud = palette.baked(self.cloud, self.palette, self.palette_index)
        gone = self.deleted()
        return cloud.subset(~gone) if gone.any() else cloud

    def deleted(self) -> NDArray[np.bool_]:
        """(N,) bool, which splats are deleted."""
        if self.state is None:
            return np.zeros(len(self.cloud), np.bool_)
        gone: NDArray[np.bool_] = (self.state & DELETED) != 0
        return gone


def _moved(
    means: NDArray[np.float32],
    maps: NDArray[np.float64] | None,
    index: NDArray[np.uint16] | None,
) -> NDArray[np.float32]:
    if maps is None or index is None:
        return means
    key = (Same(maps), Same(index))
    return _kept.made(means, "moved", key, lambda: palette.moved(means, maps, index))


def stacked(document: Document, node: Node, time: float = 0.0) -> StackedSplats:
    """The splats of a node after its edit stack; what was computed before is kept.

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
    with _lock_guard:
        lock = _locks.setdefault(_cloud_of(node), threading.RLock())
    with lock:  # two views of one node compute it once
        return run(stacking(document, node, time))


def stacking(document: Document, node: Node, time: float = 0.0) -> Job[StackedSplats]:
    """As `stacked`, as a job: decimation takes long, and tells how far it has come."""
    source = _cloud_of(node)
    step = Step.of(source)
    for modifier in node.modifiers:
        if modifier.enabled and modifier.strength > 0.0:
            step = yield from _carried_out(document, node, modifier, step, time)
    cloud = source
    if step.source is not source or changes(Step.of(source), step).keys() & set(ARRAYS):
        key = (Same(step.source), *(Same(getattr(step, name)) for name in ARRAYS))
        cloud = _kept.made(source, (node.id, "cloud"), key, step.cloud)
    state = _state(document, node, step)
    fields = (cloud, state, step.palette, step.palette_index, step.rows is None, step.rows)
    last = _results.get((id(source), node.id))
    if last is not None and all(
        getattr(last, f.name) is value
        for f, value in zip(dataclasses.fields(last), fields, strict=True)
    ):
        return last
    result = StackedSplats(*fields)
    _results[id(source), node.id] = result
    return result


def _cloud_of(node: Node) -> SplatCloud:
    if node.splats is None:
        raise UsageError(f"Node {node.name!r} holds no splats.")
    return node.splats


@dataclass(frozen=True, slots=True)
class _Family:
    """How a kind of modifier is carried out, and which fields of a step it reads."""

    reads: tuple[str, ...]
    apply: Callable[[Step, Any, Place], Step]


_MOVES = ("palette", "palette_index", "gone")
_PLACED = ("means", "palette", "palette_index")
_FAMILIES: dict[type[Modifier], _Family] = {
    kinds.Grade: _Family(("sh",), colors.grade),
    kinds.Crop: _Family((*_PLACED, "opacities", "gone"), volumes.crop),
    kinds.Delete: _Family(("opacities", "gone"), splatwise.delete),
    kinds.Opacity: _Family(("opacities",), splatwise.opacity),
    kinds.Size: _Family(("scales",), splatwise.size),
    kinds.Fill: _Family(("sh",), colors.fill),
    kinds.Noise: _Family(_PLACED, displace.noise),
    kinds.Wind: _Family(_PLACED, displace.wind),
    kinds.SHLevel: _Family(("sh",), colors.sh_level),
}
_NO_VALUES = {"id", "name", "mask", "enabled", "rule", "volume"}
"""Fields of modifiers that are no input of their functions, or are looked up first."""


def _carried_out(
    document: Document, node: Node, modifier: Modifier, step: Step, time: float
) -> Job[Step]:
    """The splats after one more modifier, as a job."""
    source = _cloud_of(node)
    if isinstance(modifier, kinds.Decimate):
        return (yield from _decimated(node, modifier, step))
    chosen = _chosen(document, node, modifier, step)
    if chosen is not None and not chosen.any():
        return step
    if isinstance(modifier, kinds.Transform):
        ways = 1 if step.palette is None else len(step.palette)
        reindexed = _kept.made(
            source, (node.id, modifier.id, "ways"),
            (Same(step.palette_index), ways, Same(chosen)),
            lambda: palette.reindexed(len(step), step.palette_index, ways, chosen),
        )  # fmt: skip
        family = _Family(("palette",), lambda s, m, _: palette.transform(s, m, reindexed))
        read: Any = reindexed
    else:
        family, read = _FAMILIES[type(modifier)], chosen
    place = _place(document, node, modifier, chosen, time)
    key = (
        type(modifier),
        _values(modifier),
        _phase(modifier, time),
        place.shape,
        place.volume.tobytes(),
        Same(read),
        *(Same(getattr(step, name)) for name in family.reads),
    )
    changed = _kept.made(
        source, (node.id, modifier.id), key,
        lambda: changes(step, _read_only(family.apply(step, modifier, place))),
    )  # fmt: skip
    return replace(step, **changed)


def _values(modifier: Modifier) -> tuple[Any, ...]:
    names = [f.name for f in dataclasses.fields(modifier)]
    return tuple(getattr(modifier, name) for name in names if name not in _NO_VALUES)


def _phase(modifier: Modifier, time: float) -> float:
    """What a modifier knows of the time."""
    if isinstance(modifier, kinds.Noise):
        return modifier.speed * time
    return modifier.frequency * time if isinstance(modifier, kinds.Wind) else 0.0


def _read_only(step: Step) -> Step:
    for name in (*ARRAYS, "gone"):
        array = getattr(step, name)
        if array is not None:
            array.flags.writeable = False
    return step


def _decimated(node: Node, modifier: kinds.Decimate, step: Step) -> Job[Step]:
    if modifier.percent == 100.0:
        return step
    source = _cloud_of(node)
    deleted = node.deleted if step.rows is None else None
    key = (_values(modifier), deleted, *(Same(getattr(step, name)) for name in (*ARRAYS, *_MOVES)))
    slot = (node.id, modifier.id)
    changed = _kept.find(source, slot, key)
    if changed is None:
        mask = None if deleted is None else deleted.mask()
        fresh = yield from thinning.decimate(step, modifier, mask)
        changed = _kept.keep(source, slot, key, changes(step, _read_only(fresh)))
    return replace(step, **changed)


def _chosen(
    document: Document, node: Node, modifier: Modifier, step: Step
) -> NDArray[np.bool_] | None:
    """Which splats a modifier changes; None for all."""
    mask, source = modifier.mask, _cloud_of(node)
    chosen: NDArray[np.bool_] | None = None
    if isinstance(mask, BitSet):
        if step.rows is not None:
            raise UsageError(
                f"{modifier.name or modifier.title} of node {node.name!r} is for splats picked by "
                "hand, which are merged by the decimation before it; move it before the "
                "decimation, or choose by a rule."
            )
        chosen = _kept.made(source, (node.id, modifier.id, "mask"), (mask,), mask.mask)
    elif mask is not None:
        chosen = _holds(document, node, modifier, step, mask, "mask")
    if not isinstance(modifier, kinds.Delete):
        return chosen
    which = _holds(document, node, modifier, step, modifier.rule, "rule")
    if chosen is None:
        return which
    both, one = (Same(which), Same(chosen)), chosen
    return _kept.made(source, (node.id, modifier.id, "both"), both, lambda: which & one)


def _holds(
    document: Document, node: Node, modifier: Modifier, step: Step, text: str, what: str
) -> NDArray[np.bool_]:
    """Which splats a rule holds for at this step."""
    key = masks.rule_key(document, node, step, text)
    slot = (node.id, modifier.id, what)
    return _kept.made(
        _cloud_of(node), slot, key, lambda: masks.rule_mask(document, node, step, text)
    )


def _place(
    document: Document,
    node: Node,
    modifier: Modifier,
    chosen: NDArray[np.bool_] | None,
    time: float,
) -> Place:
    if not (isinstance(modifier, kinds.Crop) and modifier.volume):
        return Place(chosen, time)
    held = {n.id: n.content for n in document.nodes}.get(modifier.volume)
    if not isinstance(held, CropVolume):
        raise UsageError(
            f"{modifier.name or modifier.title} of node {node.name!r} takes its place from a "
            "volume that is not there any more; choose another one, or give it a place of its own."
        )
    world = document.world(node.id)
    if np.linalg.matrix_rank(world) < 4:
        raise UsageError(f"Node {node.name!r} is scaled to nothing; it cannot be cropped.")
    volume = np.linalg.inv(world) @ document.world(modifier.volume)
    return Place(chosen, time, held.shape, volume)


def _state(document: Document, node: Node, step: Step) -> NDArray[np.uint8] | None:
    source, rows = _cloud_of(node), step.rows
    # Deleted splats have no part in a decimation; they are not there any more.
    deleted = node.deleted if rows is None else None
    marks = ((HIDDEN, node.hidden), (DELETED, deleted), (LOCKED, node.locked))
    state = step.gone
    if any(bits is not None for _, bits in marks):
        key = (Same(step.gone), Same(rows), *(bits for _, bits in marks))
        state = _kept.made(source, (node.id, "marks"), key, lambda: _marked(state, rows, *marks))
    selected = document.selection.get(node.id)
    if selected is None:
        return state
    key, before = (Same(state), Same(rows), selected), state
    return _kept.made(
        source, (node.id, "state"), key, lambda: _marked(before, rows, (SELECTED, selected))
    )


def _marked(
    state: NDArray[np.uint8] | None,
    rows: NDArray[np.int64] | None,
    *marks: tuple[int, BitSet | None],
) -> NDArray[np.uint8]:
    """The state with some more bits; `rows` as in a step."""
    for bit, bits in marks:
        if bits is not None:
            mask = bits.mask() if rows is None else bits.mask()[rows]
            part = mask.view(np.uint8) * np.uint8(bit)
            state = part if state is None else np.bitwise_or(state, part, out=part)
    assert state is not None
    state.flags.writeable = False
    return state
