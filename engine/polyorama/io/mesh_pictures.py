"""Pictures that a mesh file names: where they lie on this machine.

Modelling programs write the path on the artist's own disk. The picture comes along in the model's
folder, or in one beside it that is called after textures; by its bare name it is found there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.errors import FileFormatError
from polyorama.io.limits import read_bytes
from polyorama.io.mesh_parts import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["find_picture", "read_picture"]

_FOLDERS = (
    "textures", "Textures", "texture", "Texture", "tex", "maps", "Maps", "images", "materials",
)  # fmt: skip


def find_picture(source: Path, name: str) -> Path | None:
    """Where a picture lies that a mesh file names, or None.

    Parameters
    ----------
    source
        The mesh file.
    name
        As it is written there, with slashes of either kind. Below the file's folder it is taken
        as it stands; else the bare name is sought in that folder, in the usual folders for
        textures below and beside it, and in `<file>.fbm`.
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or parts[-1] == ".." or "\0" in name:
        return None
    folder = source.parent
    places = []
    if ".." not in parts and ":" not in parts[0]:
        places.append((folder.joinpath(*parts), folder))
    bare = parts[-1]
    places.append((folder / bare, folder))
    places += [(folder / below / bare, folder) for below in (*_FOLDERS, f"{source.stem}.fbm")]
    places += [(folder.parent / beside / bare, folder.parent / beside) for beside in _FOLDERS]
    for path, within in places:
        try:
            # Links may lead anywhere; what a file names must not.
            if path.is_file() and path.resolve().is_relative_to(within.resolve()):
                return path
        except (OSError, ValueError):
            continue
    return None


def read_picture(source: Path, name: str) -> bytes:
    """Bytes of a picture that a mesh file names.

    Raises
    ------
    FileFormatError
        If it is not found where `find_picture` seeks, is empty or too large.
    """
    path = find_picture(source, name)
    if path is None:
        raise FileFormatError(f"The file needs {name[:100]!r}, which is not beside it: {source}")
    return read_bytes(path, MAX_BYTES)
