"""What the frozen trunk sees in each view, kept on disk: the net on top trains on these alone."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.shapes.backbones.efficientnet_lite import (
    CHANNELS,
    FEATURES,
    load_efficientnet,
    pixels_of,
)
from polyorama.shapes.raster import Prepared, draw_views, prepare
from polyorama.shapes.training.pictures import clay, photographs
from polyorama.shapes.views import FILL, FOV, directions, on_white, rotation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.mesh import Mesh
    from polyorama.shapes.backbones.efficientnet_lite import EfficientNetLite0

__all__ = ["SIZE", "Sample", "Store", "extract", "trunk_features"]

SIZE = 160
"""Side of the views in pixels."""
CELLS = 25
"""Cells of the trunk's last map at that size."""
_CLAY_VIEWS = 3


@dataclass(frozen=True, slots=True)
class Sample:
    """A shape to learn from.

    Parameters
    ----------
    id
        Stable and unique: a path within its pack, or a family and a seed.
    source
        Pack or "procedural".
    label
        Everyday name; shapes of one label are no negatives to each other.
    captions
        Sentences that are true of it.
    make
        Makes the mesh.
    views, photos
        How many views of the fixed look and of photographs are kept.
    """

    id: str
    source: str
    label: str
    captions: tuple[str, ...]
    make: Callable[[], Mesh]
    views: int = 12
    photos: int = 4

    @property
    def seed(self) -> int:
        """What its photographs are drawn with."""
        return int.from_bytes(hashlib.blake2b(self.id.encode(), digest_size=7).digest())


def trunk_features(
    net: EfficientNetLite0, pictures: NDArray[np.uint8]
) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    """(N, 25, 320) map cells and (N, 1280) pooled features, float16, of (N, 160, 160, 3) uint8."""
    with torch.inference_mode():
        pixels = pixels_of(pictures).contiguous(memory_format=torch.channels_last)
        cells, pooled = net(pixels)
    flat = cells.flatten(2).transpose(1, 2)
    return flat.to(torch.float16).numpy(), pooled.to(torch.float16).numpy()


def pictures_of(sample: Sample) -> NDArray[np.uint8]:
    """All pictures of a sample: fixed views, a few without colours, photographs; (N, S, S, 3)."""
    generator = np.random.default_rng(sample.seed)
    shape = prepare(sample.make())
    seen = directions(12)
    if sample.views < len(seen):
        seen = seen[np.sort(generator.permutation(len(seen))[: sample.views])]
    turns = np.stack([rotation(a, e) for a, e in seen])
    fixed = on_white(draw_views(shape, turns, size=SIZE, fov=FOV, fill=FILL))
    bare = _plain_views(clay(shape, generator), generator)
    photos = photographs(shape, sample.photos, SIZE, generator)
    return np.concatenate([fixed, bare, photos])


def _plain_views(shape: Prepared, generator: np.random.Generator) -> NDArray[np.uint8]:
    chosen = directions(12)[generator.permutation(10)[:_CLAY_VIEWS]]
    turns = np.stack([rotation(a, e) for a, e in chosen])
    return on_white(draw_views(shape, turns, size=SIZE, fov=FOV, fill=FILL))


def extract(samples: Sequence[Sample], folder: Path, *, chunk: int = 64) -> Job[int]:
    """Render the samples and keep their features; what is there already is left as it is.

    Each chunk is written whole or not at all, so that a run that was killed goes on.

    Returns
    -------
    How many samples could not be made; each is named in ``failures.txt``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    net = load_efficientnet()
    failures: list[str] = []
    for start in range(0, len(samples), chunk):
        part = samples[start : start + chunk]
        key = hashlib.blake2b("\n".join(s.id for s in part).encode(), digest_size=8).hexdigest()
        target = folder / f"{start:06d}-{key}.npz"
        yield Progress(start, len(samples), "Looking at shapes")
        if target.exists():
            continue
        cells, pooled, rows = [], [], []
        for sample in part:
            try:
                pictures = pictures_of(sample)
            except Exception as error:  # noqa: BLE001 - one bad file must not end the day
                failures.append(f"{sample.id}\t{error}")
                continue
            seen, features = trunk_features(net, pictures)
            cells.append(seen)
            pooled.append(features)
            rows.append({
                "id": sample.id, "source": sample.source, "label": sample.label,
                "captions": sample.captions, "views": sample.views, "photos": sample.photos,
            })  # fmt: skip
        _write(target, cells, pooled, rows)
    with (folder / "failures.txt").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in failures)
    return len(failures)


def _write(
    target: Path,
    cells: list[NDArray[np.float16]],
    pooled: list[NDArray[np.float16]],
    rows: list[dict[str, object]],
) -> None:
    whole = target.with_suffix(".part")
    with whole.open("wb") as file:
        np.savez(
            file, cells=np.concatenate([np.zeros((0, CELLS, CHANNELS), np.float16), *cells]),
            pooled=np.concatenate([np.zeros((0, FEATURES), np.float16), *pooled]),
            rows=np.frombuffer(json.dumps(rows).encode(), np.uint8),
        )  # fmt: skip
    os.replace(whole, target)


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """Features of all samples of one or more folders, in memory.

    Parameters
    ----------
    cells, pooled
        (P, 25, 320) and (P, 1280) float16 of all pictures.
    rows
        One dict a sample: id, source, label, captions.
    spans
        (N, 4) int64: first picture, fixed views, plain views, photographs.
    """

    cells: NDArray[np.float16]
    pooled: NDArray[np.float16]
    rows: tuple[dict[str, object], ...]
    spans: NDArray[np.int64]

    @classmethod
    def read(cls, folders: Sequence[Path]) -> Store:
        """Read all chunks of folders that `extract` wrote.

        Raises
        ------
        UsageError
            If a folder holds none.
        """
        cells, pooled, rows, spans = [], [], [], []
        first = 0
        for path in _chunks(folders):
            with np.load(path, allow_pickle=False) as file:
                mine = json.loads(bytes(file["rows"]))
                cells.append(file["cells"])
                pooled.append(file["pooled"])
            for row in mine:
                spans.append((first, row["views"], _CLAY_VIEWS, row["photos"]))
                first += row["views"] + _CLAY_VIEWS + row["photos"]
            rows += mine
        return cls(
            np.concatenate(cells), np.concatenate(pooled), tuple(rows), np.array(spans, np.int64)
        )


def _chunks(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        chunks = sorted(folder.glob("*.npz"))
        if not chunks:
            raise UsageError(f"No features to learn from lie in this folder: {folder}")
        yield from chunks
