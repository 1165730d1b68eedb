"""What a render dialog chooses, in one value: the words of `polyorama render`, and its preview."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama_studio.camera_text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.render.shoot import Filming
    from polyorama.scene.document import Document

__all__ = ["FORMATS", "SIZES", "Format", "RenderSettings", "Seen", "preview_job"]

_PREVIEW_SAMPLES = 6
_RULE_OF_THUMB = 30.0
"""The eyes stand apart a thirtieth of the distance to what is looked at, as in the engine."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of output.

    Parameters
    ----------
    id, title
        Stable name, and what a person reads.
    ending
        Of the file, or of each picture of a sequence.
    film
        Whether it holds many frames.
    sequence
        Whether it is a folder of numbered pictures.
    codec
        As of ``--codec``, "" for the ending's own.
    alpha
        Whether it can be transparent.
    lossy
        Whether it has a quality from 1 to 100.
    """

    id: str
    title: str
    ending: str
    film: bool = False
    sequence: bool = False
    codec: str = ""
    alpha: bool = True
    lossy: bool = False


FORMATS = {
    kind.id: kind
    for kind in (
        Format("png", "PNG", ".png"),
        Format("jpg", "JPEG", ".jpg", alpha=False, lossy=True),
        Format("webp", "WebP", ".webp", lossy=True),
        Format("exr", "EXR, linear light with layers", ".exr"),
        Format("h264", "MP4, H.264", ".mp4", film=True, alpha=False, lossy=True),
        Format("h265", "MP4, H.265", ".mp4", True, codec="h265", alpha=False, lossy=True),
        Format("prores", "MOV, ProRes 4444", ".mov", film=True, lossy=True),
        Format("vp9", "WebM, VP9", ".webm", film=True, lossy=True),
        Format("gif", "GIF", ".gif", film=True),
        Format("webp-film", "Animated WebP", ".webp", film=True, lossy=True),
        Format("png-sequence", "PNG sequence", ".png", film=True, sequence=True),
        Format("exr-sequence", "EXR sequence, with layers", ".exr", film=True, sequence=True),
    )
}
"""Every kind of output by name, in the order of menus."""

SIZES: tuple[tuple[str, tuple[int, int]], ...] = (
    ("540p", (960, 540)), ("HD 720p", (1280, 720)), ("Full HD 1080p", (1920, 1080)),
    ("1440p", (2560, 1440)), ("4K", (3840, 2160)), ("8K", (7680, 4320)),
    ("Square", (1080, 1080)), ("Portrait", (1080, 1920)), ("Portrait 4K", (2160, 3840)),
    ("360\N{DEGREE SIGN} small", (2048, 1024)), ("360\N{DEGREE SIGN} 4K", (4096, 2048)),
    ("360\N{DEGREE SIGN} 8K", (8192, 4096)),
)  # fmt: skip
"""Titles and (width, height) in pixels."""


def _digits(value: float) -> str:
    text = f"{value:.7g}"
    return "0" if text == "-0" else text


def _list(values: Any) -> str:
    return ",".join(_digits(float(value)) for value in values)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """From where a scene is seen.

    Parameters
    ----------
    camera
        The present view, of any size.
    target
        (3,) what it looks at, world units.
    up
        (3,) the scene's up direction.
    stage
        Display RGB of the studio's stage, for that background.
    """

    camera: Camera
    target: tuple[float, ...]
    up: tuple[float, ...]
    stage: tuple[float, float, float]

    @property
    def upward(self) -> tuple[float, ...]:
        """The scene's up where the view's horizon is level, else what is up in the view."""
        right, down, forward = self.camera.viewmat[:3, :3]
        up = np.asarray(self.up) / np.linalg.norm(self.up)
        level = abs(float(right @ up)) < 1e-5 and abs(float(forward @ up)) < 1.0 - 1e-6
        if level and float(down @ up) < 0.0:  # else it stands on its head
            return self.up
        return tuple(float(value) for value in -down)


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """Everything that decides a render, but for what is seen.

    Parameters
    ----------
    path
        The file; of a sequence, with #### for the number.
    format
        One of `FORMATS`.
    motion
        ``"still"``, ``"timeline"`` or ``"turntable"``.
    size
        (width, height) in pixels.
    panorama
        Whether all directions are seen, 360 degrees.
    stereo
        ``""``, ``"side-by-side"`` or ``"top-bottom"``.
    camera
        Id of the camera node that it is seen through, "" for the view.
    background
        ``"document"``, ``"stage"`` or ``"transparent"``.
    time
        Of a still, s.
    part
        First and last second of the timeline's film.
    seconds
        Of a turntable.
    fps
        Frames a second.
    supersample, samples, f_stop, shutter
        As of `polyorama.render.accumulate`; an f-number of 0 is a pinhole.
    quality
        1 to 100, of lossy formats.
    """

    path: Path
    format: str = "png"
    motion: str = "still"
    size: tuple[int, int] = (1920, 1080)
    panorama: bool = False
    stereo: str = ""
    camera: str = ""
    background: str = "document"
    time: float = 0.0
    part: tuple[float, float] = (0.0, 6.0)
    seconds: float = 6.0
    fps: float = 30.0
    supersample: int = 1
    samples: int = 32
    f_stop: float = 0.0
    shutter: float = 0.0
    quality: int = 90

    @property
    def kind(self) -> Format:
        """The kind of output."""
        return FORMATS[self.format]

    @property
    def moment(self) -> float:
        """The time that its first picture shows, s."""
        return self.part[0] if self.motion == "timeline" else self.time

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        if self.motion == "still":
            return 1
        seconds = self.part[1] - self.part[0] if self.motion == "timeline" else self.seconds
        return max(1, round(seconds * self.fps))

    @property
    def resumable(self) -> bool:
        """Whether what was stopped can be gone on with."""
        return self.motion != "still"

    def words(self, files: Sequence[Path], seen: Seen, *, resume: bool = False) -> list[str]:
        """The command and its arguments: what runs, and what is shown for copying.

        Parameters
        ----------
        files
            What is rendered.
        seen
            From where.
        resume
            Go on with what was stopped.
        """
        words = ["polyorama", "render", *map(str, files), "-o", str(self.path)]
        words += ["--size", f"{self.size[0]}x{self.size[1]}"]
        if self.motion == "timeline":
            words += ["--timeline", f"{_digits(self.part[0])}:{_digits(self.part[1])}"]
        else:
            words += self._view(seen)
        if self.motion == "turntable":
            words += ["--turntable", _digits(self.seconds)]
        if self.motion != "still":
            words += ["--fps", _digits(self.fps)]
        elif self.time > 0.0:
            words += ["--time", _digits(self.time)]
        if self.panorama:
            words.append("--equirect")
        if self.stereo:
            words += ["--stereo", self.stereo]
        if self.supersample > 1:
            words += ["--supersample", str(self.supersample)]
        if self.f_stop > 0.0 and not self.panorama:
            words += ["--dof", f"f/{_digits(self.f_stop)}"]
        if self.shutter > 0.0 and self.motion != "still":
            words += ["--shutter", _digits(self.shutter)]
        if self.averages:
            words += ["--samples", str(self.samples)]
        if self.background == "transparent":
            words += ["--background", "transparent"]
        elif self.background == "stage":
            words += ["--background", "#" + "".join(f"{round(255 * c):02x}" for c in seen.stage)]
        if self.kind.codec:
            words += ["--codec", self.kind.codec]
        if self.kind.lossy:
            words += ["--quality", str(self.quality)]
        if resume and self.resumable:
            words.append("--resume")
        return words

    @property
    def averages(self) -> bool:
        """Whether several pictures are averaged into one."""
        lens = self.f_stop > 0.0 and not self.panorama
        return lens or (self.shutter > 0.0 and self.motion != "still")

    def _view(self, seen: Seen) -> list[str]:
        """The present view; one word with an equals sign each, as a value may begin with a dash."""
        camera = seen.camera
        up = seen.up if self.motion == "turntable" else seen.upward
        words = [
            f"--eye={_list(camera.position)}", f"--target={_list(seen.target)}",
            f"--up={_list(up)}",
        ]  # fmt: skip
        if camera.kind == "orthographic":
            return [*words, "--ortho", _digits(camera.height / camera.fy)]
        return [*words, "--fov", _digits(camera.fov)]

    def command(self, files: Sequence[Path], seen: Seen) -> str:
        """The words as they are typed into a shell."""
        words = self.words(files or [Path("PROJECT.poly")], seen)
        return " ".join(map(quoted, words))

    def filming(self, seen: Seen, samples: int) -> Filming:
        """Lens, shutter and projection for the engine."""
        from polyorama.render.accumulate import DepthOfField, Sampling
        from polyorama.render.panorama import Projection
        from polyorama.render.shoot import Filming
        from polyorama.render.stereo import Stereo

        dof = None
        if self.f_stop > 0.0 and not self.panorama:
            x, y, z = seen.target
            dof = DepthOfField(self.f_stop, (x, y, z))
        stereo = None
        if self.stereo:
            away = np.asarray(seen.target) - seen.camera.position
            distance, depth = float(np.linalg.norm(away)), float(away @ seen.camera.forward)
            agree = depth if depth > 0.0 and not self.panorama else None
            stereo = Stereo(self.stereo, max(distance, 1e-6) / _RULE_OF_THUMB, agree)  # type: ignore[arg-type]
        projection = Projection("equirectangular") if self.panorama else Projection()
        return Filming(projection, stereo, Sampling(self.supersample, samples, dof))


def preview_job(
    document: Document,
    settings: RenderSettings,
    seen: Seen,
    size: tuple[int, int],
    time: float,
) -> Job[Frame]:
    """A frame in small, with its lens and projection, as a job.

    Parameters
    ----------
    document, settings, seen
        What, how, and from where.
    size
        (width, height) in pixels that it fits in.
    time
        Of which moment, s.
    """
    from polyorama.render.accumulate import Shot
    from polyorama.verbs.film import level, render_job
    from polyorama.verbs.timeline import camera_at

    factor = min(size[0] / settings.size[0], size[1] / settings.size[1], 1.0)
    if settings.stereo:
        factor /= 2.0
    small = tuple(max(2, 2 * round(factor * side / 2.0)) for side in settings.size)
    if settings.panorama:
        small = (2 * (small[0] // 2), small[0] // 2)
    if settings.motion == "timeline":
        camera = camera_at(document, time, small)  # type: ignore[arg-type]
    else:
        camera = seen.camera.resized(*small)
    if settings.panorama:
        camera = level(camera, document.up)
    background: Any = {"document": "document", "stage": seen.stage}.get(settings.background)
    filming = settings.filming(seen, _PREVIEW_SAMPLES)
    return render_job(document, Shot(camera, time=time), background=background, filming=filming)
