"""Films of a document's own timeline: its cameras, its keys, its seconds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.io.video import frame_rate
from polyorama.render.accumulate import DepthOfField, Shot
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.shoot import Filming, drawing, finished, shoot
from polyorama.render.stereo import Stereo
from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import active_rig
from polyorama.verbs.film import view_of, warn_of_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Document
    from polyorama.verbs.film import Background

__all__ = ["camera_at", "film", "timeline_filming", "timeline_shots"]

_MOST_FRAMES = 1_000_000


def camera_at(document: Document, time: float, size: tuple[int, int]) -> Camera:
    """What a document is seen through at a time, s: its camera node, its view, or its subject."""
    return view_of(document, size=size, time=time)


def timeline_shots(
    document: Document,
    size: tuple[int, int],
    *,
    fps: float | str | Fraction | None = None,
    start: float = 0.0,
    end: float | None = None,
    lens: bool = True,
) -> list[Shot]:
    """One shot for each frame of the timeline.

    Parameters
    ----------
    document
        What is filmed.
    size
        (width, height) in pixels.
    fps
        Frames a second; None takes the timeline's.
    start, end
        Which part, s; None goes on to the end.
    lens
        Whether the camera node's aperture and focus count.

    Raises
    ------
    UsageError
        If the part is empty or has more than a million frames, or a camera cannot be placed.
    """
    timeline = document.timeline
    rate = frame_rate(timeline.fps if fps is None else fps)
    stop = timeline.duration if end is None else end
    if not (0.0 <= start < stop <= 86400.0):
        raise UsageError(f"A part from {start:g} s to {stop:g} s of the timeline is empty.")
    count = max(1, math.floor((stop - start) * rate + 0.5))
    if count > _MOST_FRAMES:
        raise UsageError(f"A film of {count} frames is too long; the limit is a million.")
    times = [start + float(number / rate) for number in range(-1, count + 1)]
    cameras = [camera_at(document, max(0.0, time), size) for time in times]
    shots = []
    for number in range(1, count + 1):
        time = times[number]
        shots.append(
            Shot(
                cameras[number], cameras[number - 1], cameras[number + 1],
                time=time, frame_seconds=float(1 / rate),
                dof=_lens_at(document, time) if lens else None,
            )
        )  # fmt: skip
    return shots


def _lens_at(document: Document, time: float) -> DepthOfField | None:
    node = active_rig(at_time(document, time))
    if node is None or not isinstance(node.content, CameraRig) or node.content.f_stop <= 0.0:
        return None
    return DepthOfField(node.content.f_stop, node.content.focus)


def timeline_filming(document: Document, filming: Filming | None = None) -> Filming:
    """A film's settings with what the camera node says at the start: its shutter, its two eyes.

    What `filming` sets itself is kept.
    """
    filming = filming or Filming()
    node = active_rig(at_time(document, 0.0))
    if node is None or not isinstance(node.content, CameraRig):
        return filming
    rig = node.content
    if rig.shutter > 0.0 and filming.sampling.shutter == 0.0:
        filming = replace(filming, sampling=replace(filming.sampling, shutter=rig.shutter))
    if rig.eye_distance > 0.0 and filming.stereo is None:
        filming = replace(filming, stereo=Stereo("side-by-side", rig.eye_distance, rig.focus))
    return filming


def film(
    document: Document,
    size: tuple[int, int] = (1280, 720),
    *,
    fps: float | str | Fraction | None = None,
    start: float = 0.0,
    end: float | None = None,
    backend: str = "auto",
    background: Background = "document",
    filming: Filming | None = None,
) -> Iterator[Frame]:
    """The frames of a document's timeline, made when they are asked for.

    Parameters
    ----------
    document
        What is filmed: nodes, modifiers and cameras move as they are keyed.
    size
        (width, height) in pixels.
    fps, start, end
        As of `timeline_shots`.
    backend, background, filming
        As of `polyorama.render`.

    Raises
    ------
    UsageError
        As `timeline_shots`.
    UnavailableError
        If the backend cannot run here.
    """
    shots = timeline_shots(document, size, fps=fps, start=start, end=end)
    settings = timeline_filming(document, filming)
    warn_of_nothing(document)
    draw = drawing(get_rasterizer(backend), document, background=background)
    for shot in shots:
        yield finished(shoot(draw, shot, settings, opaque=background is not None))
