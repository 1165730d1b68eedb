"""What there is to learn from: folders of named models, and shapes made by rule."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from polyorama.errors import PolyoramaError, UsageError
from polyorama.shapes.evaluation.names import plain_words
from polyorama.shapes.load import load_asset
from polyorama.shapes.procedural.family import FAMILIES, make_shape
from polyorama.shapes.training.captions import captions_of, color_words
from polyorama.shapes.training.features import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from polyorama.scene.mesh import Mesh

__all__ = ["label_of", "pack_samples", "procedural_samples"]

_ENDINGS = (".glb", ".gltf", ".fbx", ".obj")
"""Best first: a pack that comes in several formats is read in one."""
_NUMBERING = re.compile(r"\d+|[A-Za-z]|mat|lod|obj|level|mesh|model|props?|gltf|noanim", re.I)


def label_of(stem: str) -> str:
    """A file's name in plain words, lower case, without numbering and what is in brackets."""
    bare = re.sub(r"\([^)]*\)|-transformed", "", stem)
    words = [word for word in plain_words(bare).split() if not _NUMBERING.fullmatch(word)]
    return " ".join(words).lower()


def pack_samples(folder: Path) -> list[Sample]:
    """The models below a folder whose names say something, each format of a model once.

    Raises
    ------
    UsageError
        If there is none.
    """
    chosen: dict[str, Path] = {}
    for ending in _ENDINGS:
        for path in sorted(folder.rglob(f"*{ending}")):
            chosen.setdefault(path.name.split(".")[0].lower(), path)
    samples = []
    for path in sorted(chosen.values()):
        label = label_of(path.name.split(".")[0])
        mesh = _mesh_or_none(path) if label else None
        if mesh is None:
            continue
        captions = captions_of(label, color_words(mesh))
        where = path.relative_to(folder).as_posix()
        samples.append(Sample(
            f"{folder.name}/{where}", folder.name, label, captions, partial(_mesh, path)
        ))  # fmt: skip
    if not samples:
        raise UsageError(f"No models with names to learn from were found in {folder}.")
    return samples


def procedural_samples(seeds: Iterable[int], families: Iterable[str] | None = None) -> list[Sample]:
    """One shape of each family a seed, with half as many views: there are enough of them."""
    samples = []
    for seed in seeds:
        for name in families or sorted(FAMILIES):
            shape = make_shape(name, seed)
            samples.append(Sample(
                f"{name}/{seed}", "procedural", shape.name, shape.captions,
                partial(_made, name, seed), views=6, photos=3,
            ))  # fmt: skip
    return samples


def _mesh(path: Path) -> Mesh:
    mesh = load_asset(path).mesh
    if mesh is None:
        raise UsageError(f"This holds splats, not a mesh: {path}")
    return mesh


def _mesh_or_none(path: Path) -> Mesh | None:
    try:
        return _mesh(path)
    except PolyoramaError:
        return None


def _made(name: str, seed: int) -> Mesh:
    return make_shape(name, seed).mesh
