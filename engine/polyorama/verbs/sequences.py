"""Long renders: films and numbered pictures that may be stopped, resumed and shared by processes.

A render is cut into chunks that do not depend on how many processes make them: a second of film
each, or a few numbered pictures. Every finished piece carries a fingerprint of all that decided
its pixels. So a stopped render goes on with what is there, and pieces of another command, file or
version are never taken for its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import polyorama
from polyorama.core.jobs import Progress
from polyorama.errors import OutputError, PolyoramaError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.image import image_format, read_text, write_depth, write_float, write_image
from polyorama.io.video import (
    FilmWriter,
    check_video_ending,
    film_is_whole,
    frame_rate,
    join_films,
)
from polyorama.render.rasterizers import get_rasterizer
from polyorama.verbs.workers import Chunk, Finisher, Look, work_here, work_in_processes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from fractions import Fraction

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Document

__all__ = [
    "Outcome",
    "film_job",
    "kept_frames",
    "numbered",
    "numbered_job",
    "parts_folder",
]

_CHUNK = 8
"""Numbered pictures that a process takes at a time."""
_PART_FRAMES = (12, 60)
"""Fewest and most frames of a film's part; in between, a part is a second."""
_PART_NAME = re.compile(r"(\d{6})-(\d+)-([0-9a-f]{24})\.mp4")
_FINGERPRINT = "Fingerprint"
_FLOATS, _DEPTH = "Floats", "Depth"
"""Under these words a picture names the digests of the arrays that were made with it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a long render did: frames in all, and how many of them were there already."""

    frames: int
    reused: int


@dataclass(frozen=True, slots=True, eq=False)
class FilmPart:
    """A run of a film's frames, encoded as a film of its own."""

    path: Path
    cameras: tuple[Camera, ...]
    fps: Fraction
    quality: int | None
    background: tuple[float, float, float]

    @property
    def frames(self) -> int:
        """How many frames it draws."""
        return len(self.cameras)

    def is_whole(self) -> bool:
        """Whether it lies there already, undamaged."""
        camera = self.cameras[0]
        size = (camera.width, camera.height)
        return self.path.is_file() and film_is_whole(self.path, self.frames, size)

    def produce(self, draw: Callable[..., Frame], finisher: Finisher) -> Generator[None]:
        """Draw and encode; the part appears under its name once it is whole."""
        stack = contextlib.ExitStack()
        with stack:
            temporary = stack.enter_context(atomic_write(self.path))
            writer = FilmWriter(
                temporary, self.fps, quality=self.quality, background=self.background
            )
            writer.start()
            ended = False
            try:
                for camera in self.cameras:
                    writer.write(draw(camera, ("rgba8",)))
                    yield
                writer.end()
                ended = True
            finally:
                if not ended:
                    writer.end(abandon=True)
                    with contextlib.suppress(OSError, PolyoramaError):
                        writer.wait()
            rest = stack.pop_all()

        def finish() -> None:
            with rest:
                writer.wait()

        finisher.add(finish)


@dataclass(frozen=True, slots=True, eq=False)
class NumberedFrame:
    """One picture of a sequence and the files that it becomes."""

    camera: Camera
    picture: Path | None
    floats: Path | None
    depth: Path | None
    text: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class PictureRun:
    """A few numbered pictures."""

    items: tuple[NumberedFrame, ...]
    quality: int | None
    keep_alpha: bool

    @property
    def frames(self) -> int:
        """How many frames it draws."""
        return len(self.items)

    def produce(self, draw: Callable[..., Frame], finisher: Finisher) -> Generator[None]:
        """Draw and write; a picture is written after its arrays, so it vouches for them."""
        for item in self.items:
            frame = draw(item.camera, _outputs(item))
            finisher.add(lambda frame=frame, item=item: self._write(frame, item))  # type: ignore[misc]
            yield

    def _write(self, frame: Frame, item: NumberedFrame) -> None:
        text = dict(item.text)
        if item.floats is not None:
            assert frame.color is not None
            write_float(item.floats, frame.color)
            text[_FLOATS] = _file_digest(item.floats)
        if item.depth is not None:
            assert frame.expected_depth is not None
            write_depth(item.depth, frame.expected_depth)
            text[_DEPTH] = _file_digest(item.depth)
        if item.picture is not None:
            write_image(
                item.picture, frame, quality=self.quality, keep_alpha=self.keep_alpha,
                text=text,
            )  # fmt: skip


def _outputs(item: NumberedFrame) -> tuple[str, ...]:
    named = {"rgba8": item.picture, "color": item.floats, "depth": item.depth}
    return tuple(name for name, path in named.items() if path is not None)


def film_job(
    path: str | os.PathLike[str],
    document: Document,
    cameras: Sequence[Camera],
    fps: float | str | Fraction = 30,
    *,
    look: Look | None = None,
    quality: int | None = None,
    jobs: int = 1,
    resume: bool = False,
    comment: str = "",
) -> Job[Outcome]:
    """Render a film, one camera a frame. A job: run it with `polyorama.core.jobs.run`.

    Finished seconds lie in a folder beside the target (`parts_folder`) until the film is whole.
    When the job is closed or fails they stay there, if there are any, and `resume` takes them.

    Parameters
    ----------
    path
        Where to: .mp4, .m4v, .mov or .mkv.
    document, cameras
        What is seen, and from where; all cameras of one size.
    fps
        Frames a second.
    look
        How frames are drawn.
    quality
        1 to 100; the default 90 is visually lossless.
    jobs
        How many processes draw.
    resume
        Whether to take over what an earlier, stopped run of the same film left.
    comment
        Stored in the file, after the name of the program.

    Raises
    ------
    OutputError
        If the ending is unknown or the system refuses.
    UsageError
        If there is no camera, sizes differ or a number is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    target = Path(path)
    look = look or Look()
    check_video_ending(target)
    rate = frame_rate(fps)
    if look.background is None:
        raise UsageError(f"A film has no transparency; choose a background colour: {target}")
    sizes = {(camera.width, camera.height) for camera in cameras}
    if len(sizes) != 1:
        raise UsageError(
            f"A film needs frames of one size, but these cameras have {len(sizes)} sizes; "
            f"choose one: {target}"
        )
    _check_folder(target)
    folder = parts_folder(target)
    yield Progress(0, len(cameras), "Preparing")
    setting = f"{rate} {quality}"
    stamps = [_digest(setting, stamp) for stamp in _fingerprints(document, cameras, look)]
    length = min(max(round(rate), _PART_FRAMES[0]), _PART_FRAMES[1])
    parts: list[FilmPart] = []
    for number, start in enumerate(range(0, len(cameras), length)):
        run = tuple(cameras[start : start + length])
        stamp = _digest(*stamps[start : start + length])
        name = f"{number:06d}-{len(run)}-{stamp}.mp4"
        parts.append(FilmPart(folder / name, run, rate, quality, look.background))
    _clear_parts(folder, keep={part.path.name for part in parts} if resume else set())
    missing: list[FilmPart] = []
    for number, part in enumerate(parts):
        if part.path.is_file():
            yield Progress(number, len(parts), "Checking what is kept")
        if not part.is_whole():
            missing.append(part)
    reused = len(cameras) - sum(part.frames for part in missing)
    try:
        _make_folder(folder)
        yield from _work(missing, document, look, jobs, reused, len(cameras))
        yield Progress(len(cameras), len(cameras), "Joining the film")
        join_films(target, [part.path for part in parts], rate, comment=comment)
        for part in parts:
            part.path.unlink(missing_ok=True)
    finally:
        # An empty folder is of no use to anybody; one with finished parts waits for `resume`.
        with contextlib.suppress(OSError, OutputError):
            _clear_parts(folder, keep={part.path.name for part in parts})
            folder.rmdir()
    return Outcome(len(cameras), reused)


def parts_folder(path: str | os.PathLike[str]) -> Path:
    """Where the finished parts of a film lie while it is being made."""
    target = Path(path)
    return target.with_name(target.name + ".parts")


def kept_frames(path: str | os.PathLike[str]) -> int:
    """How many finished frames of a stopped film wait for `resume`."""
    return sum(int(match[2]) for _, match in _parts_in(parts_folder(path)))


def _parts_in(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    if not folder.is_dir():
        return []
    found = ((entry, _PART_NAME.fullmatch(entry.name)) for entry in folder.iterdir())
    return [(entry, match) for entry, match in found if match is not None]


def _clear_parts(folder: Path, keep: set[str]) -> None:
    """Remove parts, and what a killed run left half-written; nothing else."""
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        mine = _PART_NAME.fullmatch(entry.name) or re.match(r"\.\d{6}-\d+-", entry.name)
        if mine and entry.name not in keep:
            try:
                entry.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"Cannot remove ({error.strerror}): {entry}") from error


def _check_folder(target: Path) -> None:
    if target.is_dir():
        raise OutputError(f"Cannot write, because this is a folder: {target}")
    if not target.parent.is_dir():
        raise OutputError(f"Cannot write, because its folder does not exist: {target}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder ({error.strerror}): {folder}") from error


def numbered(pattern: str | os.PathLike[str], number: int) -> Path:
    """The file of one frame: the run of # in the name becomes the number, padded with zeros.

    Raises
    ------
    UsageError
        If the name does not have exactly one run of #.
    """
    path = Path(pattern)
    runs = re.findall("#+", path.name)
    if len(runs) != 1:
        raise UsageError(
            f"A sequence's name needs one run of # where the number goes, as in "
            f"frames/####.png: {path}"
        )
    return path.with_name(path.name.replace(runs[0], f"{number:0{len(runs[0])}d}"))


def numbered_job(
    pattern: str | os.PathLike[str] | None,
    document: Document,
    cameras: Sequence[Camera],
    *,
    numbers: Sequence[int] | None = None,
    look: Look | None = None,
    quality: int | None = None,
    jobs: int = 1,
    resume: bool = False,
    floats: str | os.PathLike[str] | None = None,
    depth: str | os.PathLike[str] | None = None,
    text: Mapping[str, str] | None = None,
) -> Job[Outcome]:
    """Render numbered pictures, one a camera, such as ``frames/####.png``. A job.

    Pictures appear one by one, each whole. Stopped, they stay, and `resume` draws only those that
    are missing or were made by something else.

    Parameters
    ----------
    pattern
        Names of the pictures with a run of # for the number, or None for arrays alone.
    document, cameras
        What is seen, and from where.
    numbers
        The number of each frame; None counts from 0.
    look, quality, jobs, resume
        As of `film_job`; quality is that of `write_image`.
    floats, depth
        Names of float32 arrays and depth maps of each frame, with a run of # too.
    text
        Words to store in each picture.

    Raises
    ------
    OutputError
        If an ending is unknown or the system refuses.
    UsageError
        If a name has no place for the number, or an argument is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    look = look or Look()
    counted = range(len(cameras)) if numbers is None else numbers
    if len(counted) != len(cameras):
        raise UsageError(f"{len(counted)} numbers were given for {len(cameras)} cameras.")
    if pattern is not None and image_format(pattern) == "JPEG" and look.background is None:
        raise UsageError(f"JPEG has no transparency; choose PNG, WebP or a colour: {pattern}")
    if resume and pattern is None:
        raise UsageError("Only pictures can be resumed, since arrays do not say what made them.")
    names = [name for name in (pattern, floats, depth) if name is not None]
    if not names:
        raise UsageError("Nothing is to be written; name pictures, float arrays or depth maps.")
    yield Progress(0, len(cameras), "Preparing")
    setting = f"{quality} {sorted((text or {}).items())}"
    stamps = _fingerprints(document, cameras, look)
    items: list[NumberedFrame] = []
    for number, camera, stamp in zip(counted, cameras, stamps, strict=True):
        item = NumberedFrame(
            camera,
            None if pattern is None else numbered(pattern, number),
            None if floats is None else numbered(floats, number),
            None if depth is None else numbered(depth, number),
            {**(text or {}), _FINGERPRINT: _digest(setting, stamp)},
        )
        if not (resume and _is_done(item)):
            items.append(item)
    for name in names:
        _make_folder(Path(name).parent)
    keep_alpha = look.background is None
    runs = [
        PictureRun(tuple(items[start : start + _CHUNK]), quality, keep_alpha)
        for start in range(0, len(items), _CHUNK)
    ]
    reused = len(cameras) - len(items)
    yield from _work(runs, document, look, jobs, reused, len(cameras))
    return Outcome(len(cameras), reused)


def _is_done(item: NumberedFrame) -> bool:
    assert item.picture is not None
    try:
        made = read_text(item.picture, whole=True)
        arrays = {_FLOATS: item.floats, _DEPTH: item.depth}
        return made.get(_FINGERPRINT) == item.text[_FINGERPRINT] and all(
            made.get(word) == _file_digest(path)
            for word, path in arrays.items()
            if path is not None
        )
    except (PolyoramaError, OSError):
        return False


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12)).hexdigest()


def _work(
    chunks: Sequence[Chunk], document: Document, look: Look, jobs: int, done: int, total: int
) -> Iterator[Progress]:
    """Produce all chunks, here or in `jobs` processes, and say how far it is."""
    if jobs < 1:
        raise UsageError(f"{jobs} processes cannot draw; ask for at least 1.")
    note = "Rendering"
    yield Progress(done, total, note)
    if jobs > 1 and len(chunks) > 1:
        steps = work_in_processes(chunks, document, look, min(jobs, len(chunks)))
    else:
        steps = work_here(chunks, document, look)
    with contextlib.closing(steps):
        for _ in steps:
            done += 1
            yield Progress(done, total, note)


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=12).hexdigest()


def _fingerprints(document: Document, cameras: Sequence[Camera], look: Look) -> list[str]:
    """For each camera, a digest of all that decides its frame's pixels."""
    scene = hashlib.blake2b(digest_size=12)
    for node, world in document.drawn():
        cloud = node.content
        assert cloud is not None
        scene.update(f"{len(cloud)} {cloud.sh.shape[1]} {cloud.model}".encode())
        for array in (world, cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh):
            scene.update(np.ascontiguousarray(array).data)
    backend = get_rasterizer(look.backend).name
    shared = f"{polyorama.__version__} {backend} {look.background} {look.constants}"
    common = _digest(scene.hexdigest(), shared)
    return [_digest(common, *_camera_words(camera)) for camera in cameras]


def _camera_words(camera: Camera) -> tuple[str, ...]:
    numbers = (camera.fx, camera.fy, camera.cx, camera.cy, camera.near, camera.far)
    lens = " ".join(float(number).hex() for number in numbers)
    return (camera.kind, f"{camera.width} {camera.height} {lens}", camera.viewmat.tobytes().hex())
