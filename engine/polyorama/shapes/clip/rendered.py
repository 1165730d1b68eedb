"""Views of all models, drawn once and kept in one file while training goes on."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.text import bytes_of
from polyorama.errors import FileFormatError, OutputError, PolyoramaError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.shapes.clip.tensors import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.shapes.clip.captions import Captioned

__all__ = ["PIXELS", "TABLE", "RenderViews", "Rendered", "render_job"]

log = logging.getLogger(__name__)

PIXELS, TABLE = "views.u8", "views.json"
"""Names of the raw pixels and of the table of what they are."""

RenderViews: TypeAlias = "Callable[[Path, int, int], NDArray[np.uint8]]"
"""Draws (F, S, S, 3) uint8 views of a file, F and S given."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """Models with their views.

    Parameters
    ----------
    models
        Those that could be drawn.
    pixels
        (N, F, S, S, 3) uint8, mapped from the file.
    failed
        By name, why others could not.
    """

    models: tuple[Captioned, ...]
    pixels: NDArray[np.uint8]
    failed: dict[str, str]


def render_job(
    models: Sequence[Captioned], folder: Path, count: int, size: int, render: RenderViews
) -> Job[Rendered]:
    """Draw all models, or take what was drawn before.

    Parameters
    ----------
    models
        What to draw.
    folder
        Where to keep the pixels.
    count, size
        F and S.
    render
        Draws (F, S, S, 3) uint8 views of a file.

    Raises
    ------
    OutputError
        If there is no room for the pixels.
    UsageError
        If fewer than two models could be drawn; the text holds a reason.
    """
    shape = (count, size, size, 3)
    table = _kept(models, folder, shape)
    if table is None:
        table = yield from _drawn(models, folder, shape, render)
    failed: dict[str, str] = table["failed"]
    good = tuple(model for model in models if model.name not in failed)
    if len(good) < 2:
        reason = next(iter(failed.values()))
        raise UsageError(f"To tell shapes apart, two are needed that can be drawn; {reason}")
    pixels = np.memmap(folder / PIXELS, np.uint8, "r", shape=(len(good), *shape))
    return Rendered(good, pixels, failed)


def _kept(
    models: Sequence[Captioned], folder: Path, shape: tuple[int, ...]
) -> dict[str, Any] | None:
    """The table of earlier views, where they are of these models and whole."""
    if not (folder / TABLE).is_file() or not (folder / PIXELS).is_file():
        return None
    table = read_json(folder / TABLE)
    failed = table.get("failed")
    if not isinstance(failed, dict) or table.get("shape") != list(shape):
        return None
    if table.get("files") != _files(models):
        return None
    good = sum(model.name not in failed for model in models)
    whole = (folder / PIXELS).stat().st_size == good * int(np.prod(shape))
    return table if whole else None


def _files(models: Sequence[Captioned]) -> list[list[Any]]:
    """Name, size and date of each, by which models are the same that were drawn before."""
    found: list[list[Any]] = []
    for model in models:
        try:
            status = model.path.stat()
        except OSError:  # drawing it says what is wrong
            found.append([model.name])
        else:
            found.append([model.name, status.st_size, status.st_mtime_ns])
    return found


def _drawn(
    models: Sequence[Captioned], folder: Path, shape: tuple[int, ...], render: RenderViews
) -> Job[dict[str, Any]]:
    needed, free = len(models) * int(np.prod(shape)), shutil.disk_usage(folder).free
    if needed > free:
        raise OutputError(
            f"The views of {len(models):,} models take {bytes_of(needed)}, and {bytes_of(free)} "
            f"are free: {folder}"
        )
    failed: dict[str, str] = {}
    files = _files(models)
    with atomic_write(folder / PIXELS) as temporary, temporary.open("wb") as file:
        for number, model in enumerate(models):
            yield Progress(number, len(models), f"Drawing views, {model.path.name}")
            try:
                views = render(model.path, shape[0], shape[1])
                if views.shape != shape or views.dtype != np.uint8:
                    raise FileFormatError(f"Its views came out as {views.shape}: {model.path}")
            except PolyoramaError as error:
                log.warning("Left out: %s", error)
                failed[model.name] = str(error)
            else:
                file.write(np.ascontiguousarray(views).data)
    table = {
        "shape": list(shape), "files": files, "failed": failed,
    }  # fmt: skip
    with atomic_write(folder / TABLE) as temporary:
        temporary.write_text(json.dumps(table), encoding="utf-8")
    return table
