"""What the networks of the feature learning plane learn: a teacher's values, or digits.

A batch is the same for every network of a run, and belongs to its seed and step alone.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UnavailableError, UsageError
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLASSES", "PIXELS", "Digits", "Task", "Teacher", "task_of"]

PIXELS, CLASSES = 64, 10
_HELD_OUT = 360
"""Digits that no network is trained on."""

Batch = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


class Task(abc.ABC):
    """Examples to learn from.

    Parameters
    ----------
    inputs, outputs
        Numbers in and out.
    start
        Mean loss of a network that says 0, as all do at the start.
    entropy
        Whether the loss is cross-entropy, not the mean square.
    """

    def __init__(self, inputs: int, outputs: int, start: float, entropy: bool) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.start, self.entropy = start, entropy

    @abc.abstractmethod
    def batch(self, luck: np.random.Generator, size: int) -> Batch:
        """Examples to train on: x (B, inputs) and y (B, outputs), float64."""

    def probe(self, luck: np.random.Generator, size: int) -> Batch:
        """Examples that are only looked at: kernel and sharpness are measured on them."""
        return self.batch(luck, size)


class Teacher(Task):
    """y = x.u + ((x.v)^2 - 1) / 2 with Gaussian x and unit vectors u and v at right angles.

    A line alone would be learnt without features; the square needs them. E[y^2] = 1.5, and no
    example comes twice.

    Parameters
    ----------
    inputs
        D, at least 2.
    seed
        Of u and v.
    """

    def __init__(self, inputs: int, seed: int) -> None:
        super().__init__(inputs, 1, 1.5, False)
        frame, _ = np.linalg.qr(stream(seed, "teacher").standard_normal((inputs, 2)))
        self.directions: NDArray[np.float64] = np.ascontiguousarray(frame.T)
        """(2, D): u and v."""

    def batch(self, luck: np.random.Generator, size: int) -> Batch:
        """Fresh examples."""
        x = luck.standard_normal((size, self.inputs))
        u, v = self.directions
        y = x @ u + 0.5 * ((x @ v) ** 2 - 1.0)
        return x, y[:, None]


@dataclass(frozen=True, slots=True)
class _Pictures:
    x: NDArray[np.float64]
    y: NDArray[np.float64]


class Digits(Task):
    """1,797 handwritten digits of 8x8 pixels; batches are drawn with replacement.

    The set is "Optical recognition of handwritten digits" of Alpaydin & Kaynak, as scikit-learn
    ships it. Pixels have mean 0 and mean square 1 over the set; targets are one-hot.

    Parameters
    ----------
    seed
        Of what is held out.
    entropy
        Whether the loss is cross-entropy.

    Raises
    ------
    UnavailableError
        If scikit-learn is not there.
    """

    def __init__(self, seed: int, entropy: bool) -> None:
        start = math.log(CLASSES) if entropy else 1.0 / CLASSES
        super().__init__(PIXELS, CLASSES, start, entropy)
        try:
            from sklearn.datasets import load_digits
        except ImportError as error:
            raise UnavailableError(
                "The digits come with scikit-learn; install it with pip install 'polyorama[lab]'."
            ) from error
        pixels, labels = load_digits(return_X_y=True)
        x = np.asarray(pixels, np.float64)
        x = (x - x.mean()) / x.std()
        y = np.eye(CLASSES)[labels]
        order = stream(seed, "held out").permutation(len(x))
        held, train = order[:_HELD_OUT], order[_HELD_OUT:]
        self._train, self._held = _Pictures(x[train], y[train]), _Pictures(x[held], y[held])

    def batch(self, luck: np.random.Generator, size: int) -> Batch:
        """Some of those to train on."""
        return _drawn(self._train, luck, size)

    def probe(self, luck: np.random.Generator, size: int) -> Batch:
        """Some of those held out."""
        return _drawn(self._held, luck, size)


def _drawn(pictures: _Pictures, luck: np.random.Generator, size: int) -> Batch:
    chosen = luck.integers(0, len(pictures.x), size)
    return pictures.x[chosen], pictures.y[chosen]


def task_of(name: str, inputs: int, seed: int) -> Task:
    """A task by name.

    Parameters
    ----------
    name
        "teacher", "digits" (mean square) or "digits, cross-entropy".
    inputs
        Of the teacher; digits have 64.
    seed
        Of the run.

    Raises
    ------
    UsageError
        If no task has this name.
    """
    if name == "teacher":
        return Teacher(inputs, seed)
    if name not in ("digits", "digits, cross-entropy"):
        raise UsageError(f"Networks learn 'teacher' or 'digits', not {name!r}.")
    return Digits(seed, entropy=name != "digits")
