"""Projecting a whole state: its prefix, the palette that moves it, what is hidden and selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.render.bake import HIGHLIGHT_SHARE
from polyorama.render.cpu.pipeline import Projected, optics_array, project_splats, view_array
from polyorama.render.cpu.project import ENTRY
from polyorama.render.prefix import limited
from polyorama.scene.modify.step import DELETED, HIDDEN, SELECTED
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from polyorama.render.cpu.pipeline import Edits
    from polyorama.render.state import Gaussians, RenderState

__all__ = ["entry_views", "project_state"]

_SIMILARITY_TOLERANCE = 1e-6
_NO_ENTRIES, _NO_STATES = np.zeros(0, np.uint16), np.zeros(0, np.uint8)
for _nothing in (_NO_ENTRIES, _NO_STATES):  # arrays that may be written are compiled for anew
    _nothing.flags.writeable = False


def project_state(state: RenderState) -> tuple[Projected, Gaussians, NDArray[np.int32] | None]:
    """The splats of a state on the screen, not yet in order; moving them copies nothing.

    Returns
    -------
    The projected splats; the Gaussians that their ids count, which are a coarse prefix where the
    state has a limit; and, where these are a part of others, (n,) int32 which ones.

    Raises
    ------
    UsageError
        If a map of the palette flattens space.
    """
    part, rows = limited(state.gaussians, state.limit)
    if state.gaussians.rows is not None:
        rows = state.gaussians.rows if rows is None else state.gaussians.rows[rows]
    cloud, camera = part.cloud, state.camera
    view, edits = _seen_through(part, camera.viewmat, camera.lens.orthographic, state.highlight)
    projected = project_splats(
        cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh, view,
        optics_array(camera.lens, state.constants), edits,
    )  # fmt: skip
    return projected, part, rows


def _seen_through(
    part: Gaussians,
    viewmat: NDArray[np.float64],
    orthographic: bool,
    highlight: tuple[float, float, float] | None,
) -> tuple[NDArray[np.float32], Edits | None]:
    """View and edits as the kernel takes them."""
    if part.is_plain:
        return view_array(viewmat), None
    palette = np.eye(3, 4)[None] if part.palette is None else part.palette
    views = entry_views(viewmat, palette, orthographic=orthographic)
    if part.state is None and part.palette_index is None and _is_similarity(palette[0]):
        # One map for all is another view, and as quick as one; the eye stands in its own space.
        return _plain_view(viewmat, palette[0]), None
    tint = np.zeros(4, np.float32)
    if highlight is not None:
        tint[:] = (*highlight, HIGHLIGHT_SHARE)
    return views.reshape(-1), (
        _NO_ENTRIES if part.palette_index is None else part.palette_index,
        _NO_STATES if part.state is None else part.state,
        np.uint8(HIDDEN | DELETED), np.uint8(SELECTED), tint,
    )  # fmt: skip


def _is_similarity(entry: NDArray[np.float64]) -> bool:
    sizes = np.linalg.svd(entry[:, :3], compute_uv=False)
    return bool(sizes[0] - sizes[2] <= _SIMILARITY_TOLERANCE * sizes[0])


def _plain_view(viewmat: NDArray[np.float64], entry: NDArray[np.float64]) -> NDArray[np.float32]:
    together = viewmat[:3, :3] @ entry
    together[:, 3] += viewmat[:3, 3]
    linear, translation = together[:, :3], together[:, 3]
    eye = -np.linalg.solve(linear, translation)
    return np.concatenate([linear.ravel(), translation, eye]).astype(np.float32)


def entry_views(
    viewmat: NDArray[Any],
    palette: NDArray[np.float64],
    *,
    orthographic: bool,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]:
    """(P, 21): a world-to-camera matrix behind each map of a palette, see `project.project`.

    A map is rotation times stretch (polar decomposition). Means and covariances go through all of
    it; harmonics turn with the rotation alone, as `SplatCloud.transformed` has it, so colours are
    those seen along R^T (A x + b - eye) = S (x - A^-1 (eye - b)).

    Raises
    ------
    UsageError
        If a map flattens space or is not finite.
    """
    rotation, translation = viewmat[:3, :3], viewmat[:3, 3]
    views = np.empty((len(palette), ENTRY), np.float64)
    for view, entry in zip(views, palette, strict=True):
        affine_matrix(entry)
        linear = rotation @ entry[:, :3]
        moved = rotation @ entry[:, 3] + translation
        u, sizes, vt = np.linalg.svd(entry[:, :3])
        stretch = vt.T @ np.diag(sizes) @ vt
        view[:9], view[9:12] = linear.ravel(), moved
        view[12:15] = (u @ vt).T @ rotation[2] if orthographic else -np.linalg.solve(linear, moved)
        view[15:] = stretch[np.triu_indices(3)]
    return views.astype(dtype)
