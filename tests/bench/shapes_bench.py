"""The library's searches at a hundred thousand and a million shapes, by the path that people take.

    python -m tests.bench.run --only shapes

Vectors are noise round a thousand centres, as assets of like kinds are; searches are exact, so only
how many lie near the best decides what the second pass costs.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from polyorama.shapes.embedder import ShapeEmbedding, unit
from polyorama.shapes.library.asset import Query
from polyorama.shapes.library.library import Library

WIDTH = 512
CENTRES = 1000
BLOCK = 20_000
KINDS = ["chair", "table", "lamp", "sofa", "plant", "car", "boat", "tree", "cup", "house"]
LIMIT = 100


class Noise:
    """Stands for an embedder that is asked for words alone; its tower's cost is measured apart."""

    id = "noise"
    dimensions = WIDTH
    picture_size = 224
    origin = "noise"

    def embed_texts(self, texts: list[str]) -> np.ndarray:
        seed = sum(map(ord, texts[0]))
        return unit(np.random.default_rng(seed).normal(size=(1, WIDTH)).astype(np.float32))


class Still:
    """Stands for a renderer that is never asked."""

    recipe = "noise"
    workers = 1


def filled(folder: Path, count: int) -> Library:
    """A library of `count` shapes that no file stands for, written as the index writes them."""
    subject = Library(folder, embedder=Noise(), describer=Still())  # type: ignore[arg-type]
    shelf = subject._shelf(make=True)
    assert shelf is not None
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(CENTRES, WIDTH)).astype(np.float32)
    nothing = np.empty((0, WIDTH), np.float32)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        noise = rng.normal(size=(size, WIDTH)).astype(np.float32)
        rows = unit(centres[rng.integers(0, CENTRES, size)] + noise)
        numbers = range(start, start + size)
        placed = shelf.append([
            (f"{number:032x}", ShapeEmbedding(row, nothing))
            for number, row in zip(numbers, rows, strict=True)
        ])  # fmt: skip
        with subject.db.writing() as transaction:
            shelf.name(transaction, placed)
            revision = transaction.revision
            names = [f"{KINDS[number % 10]} number {number}" for number in numbers]
            transaction.many(
                "INSERT INTO contents VALUES (?, 'mesh', ?, NULL, 1, 1, 1, x'')",
                ((f"{number:032x}", number % 20_000) for number in numbers),
            )
            transaction.many(
                "INSERT INTO assets (path, name, folder, content, format, bytes, stamp, depends, "
                "licence, caption, revision) VALUES (?, ?, 'models', ?, 'glb', 1000, '', '[]', "
                "'CC0-1.0', ?, ?)",
                (
                    (f"/m/{number % 100}/{number}.glb".encode(), name, f"{number:032x}", name,
                     revision)
                    for number, name in zip(numbers, names, strict=True)
                ),
            )  # fmt: skip
            transaction.execute(
                "INSERT INTO words (rowid, name, tags, caption, folder) SELECT id, name, '', "
                "caption, folder FROM assets WHERE revision = ?", (revision,),
            )  # fmt: skip
    return subject


def timed(subject: Library, query: Query, limit: int | None = LIMIT, **options: bool) -> float:
    """Milliseconds of the median of nine searches."""
    times = []
    for _ in range(9):
        start = time.perf_counter()
        subject.search(query, limit, **options)
        times.append(1e3 * (time.perf_counter() - start))
    return float(np.median(times))


def text_tower(table: Any) -> float:
    """Milliseconds of one text by the default embedder; 0 where its packages are not here."""
    from polyorama.errors import PolyoramaError
    from polyorama.shapes.default import default_embedder

    try:
        embedder = default_embedder()
    except PolyoramaError as error:
        print(f"text tower: skipped, {error}")
        return 0.0
    times = []
    for number in range(12):
        start = time.perf_counter()
        embedder.embed_texts([f"a cosy armchair number {number}"])
        times.append(1e3 * (time.perf_counter() - start))
    table.row("text tower of the default embedder", float(np.median(times)), "ms", None)
    return float(np.median(times))


def measure(table: Any) -> None:
    """Print the figures; see `tests.bench.run.Table`."""
    tower = text_tower(table)
    for count, limit in ((100_000, 60.0), (1_000_000, 150.0)):
        with tempfile.TemporaryDirectory(prefix="polyorama-bench-") as name:
            subject = filled(Path(name), count)
            start = time.perf_counter()
            subject.search(Query(words="a red chair"), LIMIT)
            first = time.perf_counter() - start
            label = f"{count:,} shapes"
            table.row(f"{label}: first search of a process", first, "s", None)
            words = timed(subject, Query(words="a red chair"))
            table.row(f"{label}: words, with text tower", words + tower, "ms", limit)
            plain = timed(subject, Query(words="a red chair"), lexical=False)
            table.row(f"{label}: words by looks alone", plain + tower, "ms", limit)
            strict = Query(words="a red chair", filters="polys < 5000 and licence = CC0")
            table.row(f"{label}: words and a filter", timed(subject, strict) + tower, "ms", limit)
            mixed = Query(words="red", like=(7,), without="armrests")
            table.row(f"{label}: like this, but", timed(subject, mixed) + 2 * tower, "ms", None)
            whole = timed(subject, Query(words="a red chair"), None)
            table.row(f"{label}: all of them ranked", whole + tower, "ms", None)
            subject.close()
