"""Takes as films and stills: a portrait on the stage, drawn by the engine, with its sound."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.arguments import check_moment
from polyorama.core.jobs import Progress
from polyorama.core.params import parameter_of
from polyorama.core.types import Camera, picture_size
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.exports.words import parse_json, parse_provenance, provenance_entry
from polyorama.io.atomic import check_target
from polyorama.io.codecs import choose_codec
from polyorama.io.files import file_size, reading
from polyorama.io.json_fields import FieldError
from polyorama.io.soundtrack import mix_audio
from polyorama.io.video import FilmWriter, check_video_ending, frame_rate, join_films
from polyorama.render.resolve import draw
from polyorama.scene.contents import LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.timeline import Timeline

if TYPE_CHECKING:
    import os
    from fractions import Fraction

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.take import Provenance, Take
    from polyorama.render.frame import Frame
    from polyorama.scene.faces.morphs import MorphRig

__all__ = [
    "STAGE",
    "film_provenance",
    "film_take",
    "portrait_camera",
    "portrait_document",
    "still_take",
]

STAGE = (14 / 255, 15 / 255, 18 / 255)
"""Display RGB of the stage."""

_SURFELS = int(parameter_of(Actor, "surfels").default)
_FOV = 24.0
"""Degrees: a portrait lens, which leaves noses their size."""
_FILL = 0.7
"""Share of the picture's height that the head takes."""
_WIDEST = 0.8
"""Share of its width that it takes at most, where pictures are narrow."""
_AZIMUTH = 12.0
"""Degrees by which the camera stands to the side: a slight three-quarter view."""
_RISE = 2.0
"""Degrees by which it stands above."""
_LEAST_SHARE = 0.85
"""Share of the head's turn above which a vertex is the head's, not the neck's."""
_MOST_FRAMES = 1_000_000
_MAX_REMARK = 1 << 20


def portrait_camera(rig: MorphRig, size: tuple[int, int] = (1280, 720)) -> Camera:
    """A camera before a rig's head, which fills seven tenths of the picture's height.

    Parameters
    ----------
    rig
        What follows its head rotor nearly whole is the head; without one, all is.
    size
        (width, height) in pixels.

    Raises
    ------
    UsageError
        If the size is none.
    """
    width, height = picture_size(size)
    head = _head_points(rig)
    middle = (head.min(axis=0) + head.max(axis=0)) / 2.0
    extent = float(np.linalg.norm(np.ptp(head, axis=0))) or 1.0
    turn, rise = np.radians([_AZIMUTH, _RISE])
    # Up is -y; the face looks along +z; its own left is -x.
    toward = np.array([-np.sin(turn) * np.cos(rise), -np.sin(rise), np.cos(turn) * np.cos(rise)])
    away = 3.0 * extent
    for _ in range(6):
        camera = Camera.look_at(
            middle + away * toward, middle, fov=_FOV, size=(width, height), near=away / 100.0
        )
        seen = head @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
        across = seen[:, 0] / seen[:, 2] * camera.fx / width
        down = seen[:, 1] / seen[:, 2] * camera.fy / height
        middle = middle + away * (
            camera.viewmat[0, :3] * (across.min() + across.max()) / 2.0 * width / camera.fx
            + camera.viewmat[1, :3] * (down.min() + down.max()) / 2.0 * height / camera.fy
        )
        away *= max(float(np.ptp(down)) / _FILL, float(np.ptp(across)) / _WIDEST)
        away = max(away, 0.6 * extent)
    return Camera.look_at(
        middle + away * toward, middle, fov=_FOV, size=(width, height), near=away / 100.0
    )


def _head_points(rig: MorphRig) -> NDArray[np.float64]:
    points = rig.mesh.vertices.astype(np.float64)
    for rotor in rig.rotors:
        if rotor.name == "head" and (rotor.amounts > _LEAST_SHARE).any():
            return points[rotor.indices[rotor.amounts > _LEAST_SHARE]]
    return points


def portrait_document(
    take: Take,
    rig: MorphRig,
    *,
    background: tuple[float, float, float] = STAGE,
    camera: Camera | None = None,
    surfels: int = _SURFELS,
) -> Document:
    """A document that shows a take as a portrait, under a large soft light, and sounds.

    Parameters
    ----------
    take, rig
        What is performed, and by whom.
    background
        Display RGB, 0..1.
    camera
        The saved view; None is `portrait_camera`.
    surfels
        How many Gaussians the face is drawn with.
    """
    light = LightRig(azimuth=32.0, elevation=34.0, softness=35.0, strength=0.95, ambient=0.36)
    nodes = [
        Node("Face", Actor(rig=rig, performance=take.performance, surfels=surfels)),
        Node("Key light", light),
    ]
    if take.sound is not None:
        nodes.append(Node("Voice", take.sound))
    return Document(
        nodes=tuple(nodes),
        camera=portrait_camera(rig) if camera is None else camera,
        background=background,
        timeline=Timeline(duration=min(_seconds(take), 86400.0)),
    )


def _seconds(take: Take) -> float:
    """As long as something is seen or heard, s."""
    sound = take.sound
    heard = 0.0 if sound is None else sound.start + sound.seconds
    return max(take.performance.seconds, heard)


def still_take(
    take: Take,
    rig: MorphRig,
    time: float,
    *,
    size: tuple[int, int] = (1280, 720),
    camera: Camera | None = None,
    background: tuple[float, float, float] = STAGE,
    surfels: int = _SURFELS,
    backend: str = "auto",
) -> Frame:
    """One picture of a take.

    Parameters
    ----------
    take, rig
        What is performed, and by whom.
    time
        When, s.
    size
        (width, height) in pixels.
    camera
        From where; None is `portrait_camera`.
    background
        Display RGB, 0..1.
    surfels
        How many Gaussians the face is drawn with.
    backend
        A rasterizer's name, or "auto".

    Raises
    ------
    UsageError
        If an argument is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    check_moment(time)
    seen = portrait_camera(rig, size) if camera is None else camera.resized(*size)
    document = portrait_document(take, rig, background=background, camera=seen, surfels=surfels)
    return draw(document, seen, backend=backend, time=time)


def film_take(
    take: Take,
    rig: MorphRig,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (1280, 720),
    fps: float | str | Fraction = 30,
    camera: Camera | None = None,
    background: tuple[float, float, float] = STAGE,
    codec: str | None = None,
    quality: int | None = None,
    surfels: int = _SURFELS,
    backend: str = "auto",
) -> Job[int]:
    """Film a take with its sound, and return how many frames there are.

    The film appears under its name only when it is whole. It lasts as long as something is seen or
    heard; the face rests in its last pose where the sound goes on. Provenance is in the film's
    comment, as JSON (see `film_provenance`).

    Parameters
    ----------
    take, rig
        What is performed, and by whom.
    path
        Where to: .mp4, .m4v, .mkv, .mov or .webm.
    size
        (width, height) in pixels.
    fps
        Frames a second.
    camera
        From where; None is `portrait_camera`.
    background
        Display RGB, 0..1.
    codec, quality
        As of `polyorama.io.video.write_video`.
    surfels
        How many Gaussians the face is drawn with.
    backend
        A rasterizer's name, or "auto".

    Raises
    ------
    OutputError
        If the ending is unknown, or the system refuses.
    UsageError
        If an argument is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    check_video_ending(path)
    check_target(path)
    kind = choose_codec(path, codec)
    rate = frame_rate(fps)
    count = max(1, round(_seconds(take) * rate))
    if count > _MOST_FRAMES:
        raise UsageError(f"A film of {count:,} frames is too long; the limit is {_MOST_FRAMES:,}.")
    seen = portrait_camera(rig, size) if camera is None else camera.resized(*size)
    document = portrait_document(take, rig, background=background, camera=seen, surfels=surfels)
    remark = json.dumps(provenance_entry(take.provenance), separators=(",", ":"))
    yield Progress(0, count, "Filming")
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        silent = Path(folder) / f"film{kind.part}"
        with FilmWriter(silent, rate, codec=kind, quality=quality, background=background) as film:
            for number in range(count):
                frame = draw(document, seen, backend=backend, time=float(number / rate))
                film.write(frame)
                yield Progress(number + 1, count, "Filming", frame)
        sound = mix_audio(document, seconds=float(count / rate))
        join_films(path, [silent], rate, codec=codec, comment=remark, sound=sound)
    return count


def film_provenance(path: str | os.PathLike[str]) -> Provenance | None:
    """Where a film of `film_take` came from; None of a film that does not say.

    Raises
    ------
    FileFormatError
        If it is missing, no film, or what it says is damaged.
    """
    import av

    file_size(path)
    try:
        with reading(path), av.open(str(path)) as container:
            found = {name.casefold(): text for name, text in container.metadata.items()}
    except (av.FFmpegError, ValueError) as error:
        raise FileFormatError(f"The film is damaged or of no known kind: {path}") from error
    comment = found.get("comment", "")
    start = comment.find("{")
    if not comment.startswith("Made with Polyorama") or start < 0:
        return None
    if len(comment) > _MAX_REMARK:
        raise FileFormatError(f"The film's comment is too long: {path}")
    entry = parse_json(comment[start:].encode("utf-8", "replace"), path, "Its comment")
    try:
        return parse_provenance(entry)
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {path}") from error
