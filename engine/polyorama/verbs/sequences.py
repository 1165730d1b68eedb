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

from polyorama.core.jobs import Progress
from polyorama.errors import OutputError, PolyoramaError, UsageError
from polyorama.io.animation import check_timing
from polyorama.io.atomic import atomic_write, check_target
from polyorama.io.codecs import Codec, check_size, choose_codec, quality_of
from polyorama.io.exr import read_exr_text
from polyorama.io.film_reading import film_is_whole
from polyorama.io.image import image_format, read_text, write_depth, write_float, write_image
from polyorama.io.lock import only_one
from polyorama.io.soundtrack import mix_audio
from polyorama.io.spherical import Presentation
from polyorama.io.video import (
    FilmWriter,
    check_transparency,
    frame_rate,
    join_films,
    wants_float,
)
from polyorama.render.accumulate import Shot, shots
from polyorama.verbs.film import warn_of_nothing
from polyorama.verbs.fingerprints import digest, fingerprints
from polyorama.verbs.layers import LAYERS, NodeTable, write_layers
from polyorama.verbs.workers import Chunk, Finisher, Look, work_here, work_in_processes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.render.shoot import Filming
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
_PART_NAME = re.compile(r"(\d{6})-(\d+)-([0-9a-f]{24})\.(mp4|mov|webm|mkv)")
_LOCK = ".lock"
"""Held in the folder of parts by whoever makes the film."""
_FINGERPRINT = "Fingerprint"
_FLOATS, _DEPTH, _LAYERS = "Floats", "Depth", "Layers"
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
    shots: tuple[Shot, ...]
    fps: Fraction
    codec: Codec
    quality: int | None
    background: tuple[float, float, float] | None

    @property
    def frames(self) -> int:
        """How many frames it draws."""
        return len(self.shots)

    def is_whole(self) -> bool:
        """Whether it lies there already, undamaged."""
        return self.path.is_file() and film_is_whole(self.path, self.frames)

    def produce(self, draw: Callable[..., Frame], finisher: Finisher) -> Generator[None]:
        """Draw and encode; the part appears under its name once it is whole."""
        stack = contextlib.ExitStack()
        with stack:
            temporary = stack.enter_context(atomic_write(self.path))
            writer = FilmWriter(
                temporary, self.fps, codec=self.codec, quality=self.quality,
                background=self.background,
            )  # fmt: skip
            outputs = ("color",) if wants_float(self.codec, self.background) else ("rgba8",)
            writer.start()
            ended = False
            try:
                for shot in self.shots:
                    writer.write(draw(shot, outputs))
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

    shot: Shot
    picture: Path | None
    floats: Path | None
    depth: Path | None
    exr: Path | None
    text: Mapping[str, str]
    nodes: NodeTable | None = None

    @property
    def files(self) -> list[Path]:
        """What it becomes; the last file written vouches for the others."""
        order = (self.floats, self.depth, self.exr, self.picture)
        return [path for path in order if path is not None]


@dataclass(frozen=True, slots=True, eq=False)
class PictureRun:
    """A few numbered pictures."""

    items: tuple[NumberedFrame, ...]
    quality: int | None
    keep_alpha: bool
    panorama: bool

    @property
    def frames(self) -> int:
        """How many frames it draws."""
        return len(self.items)

    def produce(self, draw: Callable[..., Frame], finisher: Finisher) -> Generator[None]:
        """Draw and write; a picture is written after its arrays, so it vouches for them."""
        for item in self.items:
            frame = draw(item.shot, _outputs(item))
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
            write_depth(item.depth, frame.expected_depth, text=item.text)
            text[_DEPTH] = _file_digest(item.depth)
        if item.exr is not None:
            assert item.nodes is not None
            write_layers(item.exr, frame, item.shot.camera, item.nodes, text)
            text[_LAYERS] = _file_digest(item.exr)
        if item.picture is not None:
            write_image(
                item.picture, frame, quality=self.quality, keep_alpha=self.keep_alpha,
                text=text, panorama=self.panorama,
            )  # fmt: skip


def _outputs(item: NumberedFrame) -> tuple[str, ...]:
    named = {"rgba8": item.picture, "color": item.floats, "depth": item.depth}
    wanted = dict.fromkeys(name for name, path in named.items() if path is not None)
    return tuple(wanted | dict.fromkeys(LAYERS if item.exr is not None else ()))


def film_job(
    path: str | os.PathLike[str],
    document: Document,
    cameras: Sequence[Camera | Shot],
    fps: float | str | Fraction = 30,
    *,
    look: Look | None = None,
    codec: str | None = None,
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
        Where to; the ending chooses the kind, see `polyorama.io.video.write_video`.
    document, cameras
        What is seen, and from where; all cameras of one size. Shots also say how the camera moves
        where only some frames of a film are made.
    fps
        Frames a second.
    look
        How frames are drawn; without a background the film is transparent.
    codec
        Another kind than the ending stands for.
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
    kind = choose_codec(target, codec)
    rate = frame_rate(fps)
    check_transparency(kind, look.background, target)
    if kind.animated_picture:
        check_timing(kind, rate)
    quality_of(quality)
    film = _as_shots(cameras)
    sizes = {(shot.camera.width, shot.camera.height) for shot in film}
    if len(sizes) != 1:
        raise UsageError(
            f"A film needs frames of one size, but these cameras have {len(sizes)} sizes; "
            f"choose one: {target}"
        )
    check_size(kind, *look.filming.size(film[0].camera), target)
    check_target(target)
    folder = parts_folder(target)
    yield Progress(0, len(cameras), "Preparing")
    setting = f"{rate} {quality} {kind.name}"
    stamps = [digest(setting, stamp) for stamp in fingerprints(document, film, look)]
    length = min(max(round(rate), _PART_FRAMES[0]), _PART_FRAMES[1])
    parts: list[FilmPart] = []
    for number, start in enumerate(range(0, len(cameras), length)):
        run = tuple(film[start : start + length])
        stamp = digest(*stamps[start : start + length])
        name = f"{number:06d}-{len(run)}-{stamp}{kind.part}"
        parts.append(FilmPart(folder / name, run, rate, kind, quality, look.background))
    sound = _sound(document, film, kind, rate)
    _make_folder(folder)
    try:
        with only_one(folder / _LOCK, f"Another process is making this film: {target}"):
            _clear_parts(folder, keep={part.path.name for part in parts} if resume else set())
            missing: list[FilmPart] = []
            for number, part in enumerate(parts):
                if part.path.is_file():
                    yield Progress(number, len(parts), "Checking what is kept")
                if not part.is_whole():
                    missing.append(part)
            reused = len(cameras) - sum(part.frames for part in missing)
            try:
                yield from _work(missing, document, look, jobs, reused, len(cameras))
                yield Progress(len(cameras), len(cameras), "Joining the film")
                join_films(
                    target, [part.path for part in parts], rate, codec=codec, quality=quality,
                    transparent=look.background is None, comment=comment,
                    presentation=_presentation(look.filming), sound=sound,
                )  # fmt: skip
                for part in parts:
                    part.path.unlink(missing_ok=True)
            finally:
                with contextlib.suppress(OSError, OutputError):
                    _clear_parts(folder, keep={part.path.name for part in parts})
    finally:
        # An empty folder is of no use to anybody; one with finished parts waits for `resume`.
        with contextlib.suppress(OSError):
            folder.rmdir()
    return Outcome(len(cameras), reused)


def _sound(
    document: Document, film: Sequence[Shot], kind: Codec, rate: Fraction
) -> NDArray[np.float32] | None:
    """What sounds meanwhile on the timeline; None for other films and kinds without sound."""
    start = film[0].time
    if start is None or kind.animated_picture:
        return None
    return mix_audio(document, start=start, seconds=float(len(film) / rate))


def _presentation(filming: Filming) -> Presentation:
    stereo = None if filming.stereo is None else filming.stereo.layout
    return Presentation(filming.projection.kind == "equirectangular", stereo)


def _as_shots(cameras: Sequence[Camera | Shot]) -> list[Shot]:
    given = [camera for camera in cameras if isinstance(camera, Shot)]
    if len(given) == len(cameras):
        return given
    return shots([c.camera if isinstance(c, Shot) else c for c in cameras])


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
    cameras: Sequence[Camera | Shot],
    *,
    numbers: Sequence[int] | None = None,
    look: Look | None = None,
    quality: int | None = None,
    jobs: int = 1,
    resume: bool = False,
    floats: str | os.PathLike[str] | None = None,
    depth: str | os.PathLike[str] | None = None,
    exr: str | os.PathLike[str] | None = None,
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
    floats, depth, exr
        Names of float32 arrays, depth maps and EXR files of each frame, with a run of # too.
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
    if resume and pattern is None and exr is None:
        raise UsageError("Only pictures can be resumed, since arrays do not say what made them.")
    names = [name for name in (pattern, floats, depth, exr) if name is not None]
    if not names:
        raise UsageError("Nothing is to be written; name pictures, float arrays or depth maps.")
    film = _as_shots(cameras)
    yield Progress(0, len(cameras), "Preparing")
    setting = f"{quality} {sorted((text or {}).items())}"
    stamps = fingerprints(document, film, look)
    items: list[NumberedFrame] = []
    for number, shot, stamp in zip(counted, film, stamps, strict=True):
        item = NumberedFrame(
            shot,
            None if pattern is None else numbered(pattern, number),
            None if floats is None else numbered(floats, number),
            None if depth is None else numbered(depth, number),
            None if exr is None else numbered(exr, number),
            {**(text or {}), _FINGERPRINT: digest(setting, stamp)},
            # Nodes come and go with their keys.
            None if exr is None else NodeTable.of(document, shot.time or 0.0),
        )
        if not (resume and _is_done(item)):
            items.append(item)
    runs = [
        PictureRun(
            tuple(items[start : start + _CHUNK]), quality, look.background is None,
            look.filming.is_panorama,
        )
        for start in range(0, len(items), _CHUNK)
    ]  # fmt: skip
    reused = len(cameras) - len(items)
    with _folders([Path(name).parent for name in names]):
        yield from _work(runs, document, look, jobs, reused, len(cameras))
    return Outcome(len(cameras), reused)


@contextlib.contextmanager
def _folders(wanted: Sequence[Path]) -> Iterator[None]:
    """Make folders; those that are new and still empty at the end go again."""
    new = [folder for path in wanted for folder in (path, *path.parents) if not folder.exists()]
    try:
        for path in wanted:
            _make_folder(path)
        yield
    finally:
        for folder in sorted(set(new), key=lambda path: len(path.parts), reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _is_done(item: NumberedFrame) -> bool:
    """Whether the last file written is that of this setting and vouches for all others."""
    if not all(path.is_file() for path in item.files):
        return False
    *others, voucher = item.files
    picture = item.picture is not None
    words = {item.floats: _FLOATS, item.depth: _DEPTH, item.exr: _LAYERS}
    try:
        made = read_text(voucher, whole=True) if picture else read_exr_text(voucher)
        return made.get(_FINGERPRINT) == item.text[_FINGERPRINT] and all(
            made.get(words[path]) == _file_digest(path) for path in others
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
    warn_of_nothing(document)
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
