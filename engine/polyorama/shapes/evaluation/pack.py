"""Models with names that are evaluated together: one pack is one gallery."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import one_line
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import reading
from polyorama.io.mesh import holds_mesh
from polyorama.shapes.evaluation.names import base_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Pack", "TaggedSplats", "find_packs", "find_tagged_splats"]

_LEAST = 10
"""Models from which a folder is a gallery."""
_MESHES = (".glb", ".gltf")
_MOST_MANIFEST = 4 << 20
_NOT_SEEN = frozenset({"classic", "test-model", "keenan-crane", "newell", "utah", "cute"})
"""Tags that say where a thing comes from, not what it shows."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of named models.

    Parameters
    ----------
    name
        Of the folder.
    paths
        The models.
    """

    name: str
    paths: tuple[Path, ...]

    @property
    def base_names(self) -> tuple[str, ...]:
        """What each model is called, without its numbering."""
        return tuple(base_name(path.name.split(".")[0]) for path in self.paths)

    def right_answers(self) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
        """The distinct base names (Q), and (Q, N) which models bear each."""
        names = self.base_names
        queries = tuple(sorted(set(names)))
        return queries, np.array([[name == query for name in names] for query in queries])


@dataclass(frozen=True, slots=True)
class TaggedSplats:
    """Splat objects with tags of what they show.

    Parameters
    ----------
    paths
        The files.
    tags
        Those of each.
    """

    paths: tuple[Path, ...]
    tags: tuple[tuple[str, ...], ...]

    def vocabulary(self) -> tuple[str, ...]:
        """All tags there are."""
        return tuple(sorted({tag for tags in self.tags for tag in tags}))


def find_packs(folders: Sequence[Path]) -> list[Pack]:
    """Every folder at or below these with at least ten glTF models.

    Raises
    ------
    UsageError
        If there is none.
    """
    found: dict[Path, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in _MESHES and path.is_file() and holds_mesh(path):
                found.setdefault(path.parent, []).append(path)
    packs = [Pack(at.name, tuple(paths)) for at, paths in found.items() if len(paths) >= _LEAST]
    if not packs:
        places = ", ".join(str(folder) for folder in folders)
        raise UsageError(
            f"No folder with {_LEAST} or more glTF models was found to evaluate on in: {places}"
        )
    return packs


def find_tagged_splats(folders: Sequence[Path]) -> TaggedSplats | None:
    """The splat files that a ``manifest.json`` with tags names; None where there is none.

    Raises
    ------
    FileFormatError
        If a manifest is no JSON, or cannot be read.
    """
    for folder in folders:
        for manifest in sorted(folder.rglob("manifest.json")):
            kept = [
                (manifest.parent / Path(row["file"]).name, _seen(row["tags"]))
                for row in _rows(manifest)
                if isinstance(row.get("file"), str) and isinstance(row.get("tags"), list)
            ]
            kept = [(path, tags) for path, tags in kept if path.is_file() and tags]
            if kept:
                return TaggedSplats(*(tuple(part) for part in zip(*kept, strict=True)))
    return None


def _rows(manifest: Path) -> list[dict[str, Any]]:
    """What a manifest lists; nothing where it is another program's."""
    if not manifest.is_file() or manifest.stat().st_size > _MOST_MANIFEST:
        return []
    with reading(manifest):
        data = manifest.read_bytes()
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"The manifest is no JSON; correct it: {one_line(str(manifest))}"
        ) from error
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _seen(tags: list[object]) -> tuple[str, ...]:
    texts = (one_line(tag).strip() for tag in tags if isinstance(tag, str))
    return tuple(text for text in texts if text and text not in _NOT_SEEN)
