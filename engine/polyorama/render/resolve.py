"""`resolve`: from a document and a view to the frozen state that is drawn."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.state import PRESETS, Constants, Gaussians, RenderState
from polyorama.scene.properties_of import at_time
from polyorama.scene.splats import SplatCloud, concatenate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Document

__all__ = ["draw", "flatten", "resolve"]

_KEPT = 4
_flat: OrderedDict[int, tuple[Document, Gaussians]] = OrderedDict()
_flat_lock = threading.Lock()


def flatten(document: Document) -> Gaussians:
    """All visible splats of a document in world space; kept for the last few documents.

    A document with one untransformed cloud costs nothing: its arrays are shared.
    """
    with _flat_lock:
        kept = _flat.get(id(document))
        if kept is not None and kept[0] is document:
            _flat.move_to_end(id(document))
            return kept[1]
    gaussians = _flatten(document)
    with _flat_lock:
        _flat[id(document)] = (document, gaussians)
        while len(_flat) > _KEPT:
            _flat.popitem(last=False)
    return gaussians


def _flatten(document: Document) -> Gaussians:
    clouds: list[SplatCloud] = []
    ids: list[str] = []
    for node, world in document.drawn():
        assert node.splats is not None
        clouds.append(node.splats.transformed(world))
        ids.append(node.id)
    if not clouds:
        return Gaussians(_empty_cloud())
    index: NDArray[np.int32] | None = None
    if len(clouds) > 1:
        index = np.repeat(np.arange(len(clouds), dtype=np.int32), [len(c) for c in clouds])
    return Gaussians(concatenate(clouds), node_index=index, node_ids=tuple(ids))


def _empty_cloud() -> SplatCloud:
    return SplatCloud(
        np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32), np.zeros((0, 3), np.float32),
        np.zeros(0, np.float32), np.zeros((0, 1, 3), np.float32),
    )  # fmt: skip


def resolve(
    document: Document,
    camera: Camera,
    *,
    background: tuple[float, float, float] | str | None = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
    time: float = 0.0,
    highlight: tuple[float, float, float] | None = None,
) -> RenderState:
    """What `document` looks like through `camera`, as a frozen state. Pure.

    Parameters
    ----------
    document, camera
        What is seen, and from where.
    background
        Display RGB 0..1, None for transparent, or "document" for the document's own.
    constants
        Renderer constants, the name of a preset, or None: the default preset, antialiased where
        the document's clouds were trained so.
    limit
        Draw only the `limit` most important splats.
    time
        Where on the timeline, s.
    highlight
        Display RGB that tints selected splats, or None.

    Raises
    ------
    UsageError
        If the preset is unknown or the background is no colour.
    """
    document = at_time(document, time)
    del highlight  # until selections are drawn
    gaussians = flatten(document)
    if isinstance(constants, str):
        if constants not in PRESETS:
            raise UsageError(f"There is no preset {constants!r}; choose {', '.join(PRESETS)}.")
        constants = PRESETS[constants]
    elif constants is None:
        constants = replace(
            PRESETS["gsplat-1.5.3"], antialiased=gaussians.cloud.model == "antialiased"
        )
    if background == "document":
        background = document.background
    elif isinstance(background, str):
        raise UsageError(f"A background is a colour, None or 'document', not {background!r}.")
    return RenderState(gaussians, camera, background, constants, limit)


def draw(
    document: Document,
    camera: Camera,
    *,
    backend: str = "auto",
    outputs: Iterable[str] = ("rgba8",),
    background: tuple[float, float, float] | str | None = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
) -> Frame:
    """Resolve and draw in one call; the parameters are those of `resolve` and `Rasterizer.render`.

    Raises
    ------
    UsageError
        As `resolve` and `get_rasterizer`.
    UnavailableError
        If the backend cannot run here.
    """
    state = resolve(document, camera, background=background, constants=constants, limit=limit)
    return get_rasterizer(backend).render(state, outputs)
