"""`polyorama shapes eval`: how well embedders find models that they never saw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.io.formats import read_splats
from polyorama.shapes.default.embedder import DefaultEmbedder, weights_folder
from polyorama.shapes.evaluation.baselines import ConseEmbedder
from polyorama.shapes.evaluation.pack import find_packs, find_tagged_splats
from polyorama.shapes.evaluation.protocol import evaluate
from polyorama.shapes.training.recipe import nets

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from polyorama.core.jobs import Job
    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.default.embedder import Features
    from polyorama.shapes.embedder import Embedder
    from polyorama.shapes.evaluation.protocol import Measured

__all__ = ["APART", "CONSE", "DEFAULT", "evaluate_shapes"]

DEFAULT = "default"
APART = "default without cross-view attention"
CONSE = "ConSE"


def evaluate_shapes(
    folders: Sequence[str | os.PathLike[str]],
    *,
    weights: str | os.PathLike[str] | None = None,
    models: Sequence[str | os.PathLike[str]] = (),
) -> Job[list[Measured]]:
    """Measure the default embedder, its twin without cross-view attention, ConSE, and others.

    Parameters
    ----------
    folders
        Where packs of named glTF models lie, and splat objects with a ``manifest.json`` of tags.
    weights
        Folder with the seeds' weights; None takes those that come along.
    models
        Checkpoints of CLIP, Duoduo CLIP or SigLIP, or names of the registry, to measure too.

    Returns
    -------
    A job; its result is one `Measured` a line of the table.

    Raises
    ------
    UsageError
        If there is nothing to measure on.
    FileFormatError
        If a model file or weights are damaged.
    UnavailableError
        If a model is not there.
    """
    places = [Path(folder) for folder in folders]
    for place in places:
        if not place.is_dir():
            raise UsageError(f"There is no such folder to evaluate on: {place}")
    packs, splats = find_packs(places), find_tagged_splats(places)
    twins = [(DEFAULT, APART)]
    return evaluate(_embedders(weights, models), packs, splats, _read, twins)


def _embedders(
    weights: str | os.PathLike[str] | None, models: Sequence[str | os.PathLike[str]]
) -> dict[str, list[Embedder]]:
    folder = Path(weights) if weights is not None else weights_folder()
    found: dict[str, list[Embedder]] = {CONSE: [ConseEmbedder()]}
    known: dict[bytes, Features] = {}
    for net in nets():
        found.setdefault(DEFAULT if net.across else APART, []).append(
            DefaultEmbedder(folder / net.file, known=known)
        )
    for model in models:
        # Only here: large networks are not for those who did not name them.
        from polyorama.shapes.clip.embedder import load_embedder

        found[str(model)] = [load_embedder(model)]
    return found


def _read(path: Path) -> SplatCloud:
    return read_splats(path)
