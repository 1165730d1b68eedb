"""Models of one line of words, an embedder that counts them, a renderer that paints them."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.shapes.embedder import ShapeEmbedding, unit
from polyorama.shapes.library.asset import Described
from polyorama.shapes.library.library import Library

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["COLOURS", "FakeDescriber", "FakeEmbedder", "library", "model"]

COLOURS = {"red": (220, 30, 30), "green": (30, 180, 40), "blue": (40, 60, 220)}
VIEWS = 4
SIDE = 25
WIDTH = 64


def word_vector(word: str) -> NDArray[np.float32]:
    """A direction of a word's own, the same in every process."""
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little")
    return unit(np.random.default_rng(seed).normal(size=WIDTH).astype(np.float32))


def sum_of(words: Sequence[str]) -> NDArray[np.float32]:
    return unit(np.sum([word_vector(word) for word in words] or [np.zeros(WIDTH)], axis=0))


class FakeEmbedder:
    """Reads the words that the fake renderer hides in the last row of its views.

    Looks compare six by six cells of 24 pixels, so they do not see that row.
    """

    picture_size = SIDE
    dimensions = WIDTH
    origin = "words that are counted"

    def __init__(self, name: str = "fake-1") -> None:
        self.id = name
        self.shapes = 0

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([sum_of(text.lower().split()) for text in texts]).astype(np.float32)

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        return np.stack([sum_of(hidden(image)) for image in images]).astype(np.float32)

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        self.shapes += 1
        each = self.embed_images(list(views))
        return ShapeEmbedding(unit(each.mean(axis=0)), each)


def hide(picture: NDArray[np.uint8], words: Sequence[str]) -> None:
    data = " ".join(words).encode()[: 3 * SIDE - 1]
    picture[-1] = 255
    picture[-1].reshape(-1)[: len(data)] = np.frombuffer(data, np.uint8)
    picture[-1].reshape(-1)[len(data)] = 0


def hidden(picture: NDArray[np.uint8]) -> list[str]:
    row = picture[-1].reshape(-1)
    return bytes(row[: int((row == 0).argmax())]).decode().split()


class FakeDescriber:
    """Reads model files of the form ``words | polygons | x y z``, and ``uses NAME`` lines.

    View number i shows the words and ``view<i>``. The word "broken" is refused, "crash" raises
    what no reader should, and "splatty" makes splats of it.
    """

    recipe = "fake-views-1"

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self.described: list[Path] = []
        self.asked: list[Path] = []
        self._lock = threading.Lock()

    def describe(self, path: Path) -> Described:
        with self._lock:
            self.described.append(path)
        words, polygons, size = parts(path)
        if "broken" in words:
            raise FileFormatError(f"The model is broken; export it again: {path}")
        if "crash" in words:
            raise ZeroDivisionError("of a foreign reader")
        colour = next((COLOURS[word] for word in words if word in COLOURS), (120, 120, 120))
        views = np.full((VIEWS, SIDE, SIDE, 3), 255, np.uint8)
        views[:, 6:18, 6:18] = colour
        for number, view in enumerate(views):
            hide(view, [*words, f"view{number}"])
        splats = "splatty" in words
        return Described(
            "splats" if splats else "mesh", None if splats else polygons,
            polygons if splats else None, size, views, views[0],
        )  # fmt: skip

    def dependencies(self, path: Path) -> list[Path]:
        with self._lock:
            self.asked.append(path)
        lines = path.read_text("utf-8", "replace").splitlines()
        return [path.parent / line[5:] for line in lines if line.startswith("uses ")]


def parts(path: Path) -> tuple[list[str], int, tuple[float, float, float]]:
    first = path.read_text("utf-8", "replace").partition("\n")[0]
    words, polygons, size = [*first.split("|"), "100", "1 1 1"][:3]
    x, y, z = (float(value) for value in size.split())
    return words.lower().split(), int(polygons), (x, y, z)


def model(
    path: Path,
    words: str,
    polygons: int = 100,
    size: tuple[float, float, float] = (1.0, 1.0, 1.0),
    uses: Sequence[str] = (),
) -> Path:
    """Write a model file for the fake renderer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = f"{words}|{polygons}|{' '.join(map(str, size))}"
    path.write_text("\n".join([line, *(f"uses {name}" for name in uses)]) + "\n", "utf-8")
    return path


def library(folder: Path, **parts_: object) -> Library:
    """A library with the fakes."""
    given = {"embedder": FakeEmbedder(), "describer": FakeDescriber()} | parts_
    return Library(folder, **given)  # type: ignore[arg-type]
