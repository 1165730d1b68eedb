"""A view in words: as a command line and as Python, to be pasted elsewhere."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from polyorama_studio.orbit import OrbitView

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["command_line", "open_line", "python_camera", "python_picture", "save_line"]


def _number(value: float) -> str:
    text = f"{value:.5g}"
    return "0" if text in ("-0", "0") else text


def _list(values: Iterable[float]) -> str:
    return ",".join(_number(float(value)) for value in values)


def _tuple(values: Iterable[float]) -> str:
    return "(" + ", ".join(_number(float(value)) for value in values) + ")"


def _up(view: OrbitView) -> tuple[float, float, float]:
    """The document's up, or the picture's own where the view goes along it."""
    if abs(view.pitch) < 89.9:
        return view.up
    upward = view.axes()[1]
    return (float(upward[0]), float(upward[1]), float(upward[2]))


def _eye(view: OrbitView, size: tuple[int, int]) -> NDArray[np.float64]:
    """Where the engine's camera stands; for parallel lines that is farther back than the eye."""
    return view.camera(*size).position


def quoted(path: Path | str) -> str:
    """A word for a shell; bytes that are no text in the way of bash, zsh and POSIX 2024."""
    name = str(path)
    if name.isprintable():
        return shlex.quote(name)
    return f"$'{''.join(map(_escaped, os.fsencode(name)))}'"


def _escaped(byte: int) -> str:
    plain = 32 <= byte < 127 and byte not in b"'\\"
    return chr(byte) if plain else f"\\x{byte:02x}"


def command_line(view: OrbitView, size: tuple[int, int], files: Sequence[Path]) -> str:
    """The `polyorama render` command for this view."""
    names = " ".join(map(quoted, files)) or "FILE"
    # One word with an equals sign each, since a value may begin with a minus.
    lens = (
        f"--ortho {_number(view.height_in_world)}"
        if view.orthographic
        else f"--fov {_number(view.fov)}"
    )
    return (
        f"polyorama render {names} -o picture.png --size {size[0]}x{size[1]} "
        f"--eye={_list(_eye(view, size))} --target={_list(view.target)} --up={_list(_up(view))} "
        f"{lens}"
    )


def python_camera(view: OrbitView, size: tuple[int, int]) -> str:
    """The Python expression that makes this view's camera."""
    place = f"{_tuple(_eye(view, size))}, {_tuple(view.target)}, {_tuple(_up(view))}"
    if view.orthographic:
        return (
            f"po.Camera.orthographic({place}, height_in_world={_number(view.height_in_world)}, "
            f"size={size})"
        )
    # The engine's own near plane suits all but small scenes.
    near = f", near={_number(view.near)}" if view.near < OrbitView().near else ""
    return f"po.Camera.look_at({place}, fov={_number(view.fov)}, size={size}{near})"


def open_line(files: Sequence[Path]) -> str:
    """The Python line that opens these files."""
    return f"doc = po.edit({', '.join(repr(str(path)) for path in files)})"


def python_picture(
    view: OrbitView,
    size: tuple[int, int],
    background: tuple[float, float, float] | None,
    path: Path,
) -> str:
    """The Python line that draws this view into a file; the background None is transparent."""
    behind = "None" if background is None else _tuple(background)
    return (
        f"po.write_image({str(path)!r}, "
        f"po.render(doc.document, {python_camera(view, size)}, background={behind}))"
    )


def save_line(path: Path) -> str:
    """The Python line that saves the document as a project."""
    return f"po.save(doc, {str(path)!r})"
