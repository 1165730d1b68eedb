"""How much of a picture each splat is: weights, for clean-up and for rules about views."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.render.cpu.gradients import Splats, backward, forward
from polyorama.render.cpu.pipeline import optics_array, view_array
from polyorama.render.state import PRESETS
from polyorama.scene.framing import frame_document
from polyorama.scene.sh import SH_C0
from polyorama.scene.stack import DELETED, HIDDEN, stacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document

__all__ = ["cameras_round", "weights"]

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))


def weights(
    document: Document, camera: Camera, time: float = 0.0
) -> dict[str, NDArray[np.float32]]:
    """What each splat gives to a picture: sum over pixels of alpha times transmittance.

    This is the derivative of the summed red channel with respect to a splat's own red, which the
    gradients of the renderer are.

    Parameters
    ----------
    document
        At its time.
    camera
        From where.
    time
        At which the document is, s.

    Returns
    -------
    By node id, (N,) float32 in pixels, over the splats that the node has after its stack; hidden
    and deleted ones have none.
    """
    clouds, hidden, names = [], [], []
    for node, world in document.drawn():
        if node.splats is None:
            continue
        shown = stacked(document, node, time)
        state = shown.state
        dark = np.zeros(len(shown.cloud), bool) if state is None else state & (HIDDEN | DELETED) > 0
        clouds.append(replace(shown, state=None).baked().transformed(world))
        hidden.append(dark)
        names.append(node.id)
    if not clouds:
        return {}
    count = sum(len(cloud) for cloud in clouds)
    gone = np.concatenate(hidden)
    splats = Splats(
        np.concatenate([c.means for c in clouds]),
        np.concatenate([c.quats for c in clouds]),
        np.concatenate([c.scales for c in clouds]),
        np.where(gone, np.float32(0.0), np.concatenate([c.opacities for c in clouds])),
        np.zeros((count, 1, 3), np.float32),
        np.zeros((count, 0), np.float32),
    )
    constants = PRESETS["gsplat-1.5.3"]
    pictures = forward(
        splats, view_array(camera.viewmat), optics_array(camera.lens, constants),
        alpha_cap=constants.alpha_cap,
    )  # fmt: skip
    red = np.zeros_like(pictures.color)
    red[..., 0] = 1.0
    nothing = np.zeros_like(pictures.alpha)
    grads = backward(splats, pictures, red, nothing, nothing, np.zeros_like(pictures.features))
    weight = (grads.sh[:, 0, 0] / np.float32(SH_C0)).astype(np.float32)
    edges = np.cumsum([0, *(len(cloud) for cloud in clouds)])
    return {name: weight[a:b] for name, a, b in zip(names, edges[:-1], edges[1:], strict=True)}


def cameras_round(document: Document, count: int, size: tuple[int, int]) -> list[Camera]:
    """Cameras spread evenly over a sphere round the subject, each framing it.

    Parameters
    ----------
    document
        What is looked at.
    count
        How many.
    size
        (width, height) in pixels.
    """
    heights = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    elevations = np.degrees(np.arcsin(heights)).clip(-85.0, 85.0)
    azimuths = np.degrees(np.arange(count) * _GOLDEN) % 360.0
    return [
        frame_document(document, size=size, azimuth=float(a), elevation=float(e))
        for a, e in zip(azimuths, elevations, strict=True)
    ]
