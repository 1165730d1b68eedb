"""`resolve`: from a document, a moment and a view to the frozen state that is drawn."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.render.caches import lets_go
from polyorama.render.joining import Part, joined
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.state import PRESETS, Constants, Gaussians, RenderState
from polyorama.scene.document import Document
from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh
from polyorama.scene.modifiers import Noise, Wind
from polyorama.scene.properties_of import at_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Node

__all__ = ["draw", "flatten", "is_animated", "resolve"]

_KEPT = 4
_flat: OrderedDict[tuple[int, float], tuple[Document, Gaussians]] = OrderedDict()
_flat_lock = threading.Lock()


@lets_go
def _forget() -> None:
    with _flat_lock:  # held by others for a look alone
        _flat.clear()


def flatten(document: Document, time: float = 0.0) -> Gaussians:
    """All that a document shows at `time`, s; kept for the last few documents.

    Nodes' matrices and their Transform modifiers become a palette, selections and what is hidden a
    state: where only these differ from a document before, no array of splats is written, and what
    rasterizers derived from the arrays is kept.

    Raises
    ------
    UsageError
        If an edit stack cannot be carried out, a mesh shows nothing, or a node is flattened.
    UnavailableError
        If there is a mesh to be lit and open3d is not installed.
    """
    if not is_animated(document):
        time = 0.0
    key = (id(document), time)
    with _flat_lock:
        kept = _flat.get(key)
        if kept is not None and kept[0] is document:
            _flat.move_to_end(key)
            return kept[1]
    gaussians = _flatten(at_time(document, time), time)
    with _flat_lock:
        _flat[key] = (document, gaussians)
        while len(_flat) > _KEPT:
            _flat.popitem(last=False)
    return gaussians


def is_animated(document: Document) -> bool:
    """Whether a document looks different at different times: by keys, noise, wind or a face."""
    return bool(document.timeline.tracks) or any(
        (isinstance(node.content, Actor) and node.content.performance is not None)
        or any(isinstance(modifier, Noise | Wind) for modifier in node.modifiers)
        for node in document.nodes
    )


def _flatten(document: Document, time: float) -> Gaussians:
    parts: list[Part] = []
    for node, world in document.drawn():
        if not world[:3, :3].any():
            continue  # scaled to nothing, as things are that grow or vanish
        if isinstance(node.content, Actor):
            parts.append(_actor_part(document, node, node.content, world, time))
        elif isinstance(node.content, Mesh):
            parts.append(_mesh_part(document, node, node.content, world))
        else:
            parts.append(_splat_part(document, node, world, time))
    return joined(parts)


def _splat_part(document: Document, node: Node, world: NDArray[np.float64], time: float) -> Part:
    assert node.splats is not None
    sets = (node.deleted, node.hidden, node.locked, document.selection.get(node.id))
    if not node.modifiers and all(bits is None for bits in sets):
        return Part(node.id, world, node.splats)
    # Only here, since it brings in the compiler.
    from polyorama.scene.stack import stacked

    found = stacked(document, node, time)
    return Part(node.id, world, found.cloud, found.palette, found.palette_index, found.state)


def _mesh_part(document: Document, node: Node, mesh: Mesh, world: NDArray[np.float64]) -> Part:
    # Only here, since it brings in the compiler.
    from polyorama.render.lit_meshes import lit_mesh, rig_of

    try:
        return Part(node.id, world, lit_mesh(mesh, world, rig_of(document)))
    except UsageError as error:
        where = f" File: {node.source.path}" if node.source is not None else ""
        raise UsageError(f"The mesh {node.name!r} cannot be drawn: {error}{where}") from error


def _actor_part(
    document: Document, node: Node, actor: Actor, world: NDArray[np.float64], time: float
) -> Part:
    # Only here, since it brings in the compiler.
    from polyorama.render.actors import actor_cloud
    from polyorama.render.lit_meshes import rig_of

    try:
        return Part(node.id, world, actor_cloud(actor, world, rig_of(document), time))
    except UsageError as error:
        raise UsageError(f"The face {node.name!r} cannot be drawn: {error}") from error


def resolve(
    document: Document | Gaussians,
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
    document
        What is seen: a document, or what `flatten` made of one.
    camera
        From where.
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
        Display RGB 0..1 into which selected splats are blended, or None: selections do not show.

    Raises
    ------
    UsageError
        If the preset is unknown, background or highlight are no colours, or as `flatten`.
    UnavailableError
        As `flatten`.
    """
    if isinstance(document, Gaussians):
        gaussians = document
    else:
        gaussians = flatten(document, time)
    if isinstance(constants, str):
        if constants not in PRESETS:
            raise UsageError(f"There is no preset {constants!r}; choose {', '.join(PRESETS)}.")
        constants = PRESETS[constants]
    elif constants is None:
        constants = replace(
            PRESETS["gsplat-1.5.3"], antialiased=gaussians.cloud.model == "antialiased"
        )
    if background == "document" and isinstance(document, Document):
        background = at_time(document, time).background
    elif isinstance(background, str):
        raise UsageError(f"A background is a colour, None or 'document', not {background!r}.")
    return RenderState(gaussians, camera, background, constants, limit, highlight)


def draw(
    document: Document,
    camera: Camera,
    *,
    backend: str = "auto",
    outputs: Iterable[str] = ("rgba8",),
    background: tuple[float, float, float] | str | None = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
    time: float = 0.0,
    highlight: tuple[float, float, float] | None = None,
) -> Frame:
    """Resolve and draw in one call; the parameters are those of `resolve` and `Rasterizer.render`.

    Raises
    ------
    UsageError
        As `resolve` and `get_rasterizer`.
    UnavailableError
        If the backend cannot run here.
    """
    state = resolve(
        document, camera, background=background, constants=constants, limit=limit, time=time,
        highlight=highlight,
    )  # fmt: skip
    return get_rasterizer(backend).render(state, outputs)
