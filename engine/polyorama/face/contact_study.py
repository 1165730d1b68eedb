"""Whether lips meet where they must, and nowhere else, and the lip meets the teeth: on a rig.

Measured on the puppet's own lips and teeth, in sentences and a voice that nothing was trained on;
phones and their times are the synthesiser's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.scene.faces.phones import viseme_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.corpus import Clip
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.phones import Phone

__all__ = ["ContactFigures", "contact_figures", "contacts"]

CLOSED = 0.02
"""Lips are closed where they are nowhere farther apart than this share of the mouth's width."""
TOUCHED = 0.03
"""The lip is at the teeth where it is no farther from their edge than this share."""
_OPEN = frozenset(("aa", "E", "I", "O", "U"))
_LONG_S = 0.08
"""A vowel so long is open at its middle, whoever stands beside it."""


class Perform(Protocol):
    """What moves a face: a clip in, a performance out."""

    def __call__(self, clip: Clip) -> Performance: ...


@dataclass(frozen=True, slots=True)
class ContactFigures:
    """What was measured of one source of motion.

    Parameters
    ----------
    source
        In words.
    bilabials, closed
        How many /p b m/ there were, and at how many the lips were closed in a frame of the phone.
    vowels, opened
        How many vowels of 80 ms or more, and at how many the lips were open in the middle.
    labiodentals, touched
        How many /f v/, and at how many the lower lip met the upper teeth in a frame of the phone.
    """

    source: str
    bilabials: int
    closed: int
    vowels: int
    opened: int
    labiodentals: int
    touched: int


def contact_figures(
    source: str, perform: Perform, clips: Sequence[Clip], rig: MorphRig
) -> Job[ContactFigures]:
    """Let a source of motion say clips, and look at the lips; its units are clips.

    Raises
    ------
    UsageError
        If the rig does not say where its lips and teeth are.
    """
    totals = np.zeros(6, np.int64)
    for number, clip in enumerate(clips):
        yield Progress(number, len(clips), f"Lips, {source}")
        performance = perform(clip)
        for kind, _, met in contacts(performance, clip.utterance.track().phones, rig):
            totals[2 * kind] += 1
            totals[2 * kind + 1] += met
    return ContactFigures(source, *(int(total) for total in totals))


def contacts(
    performance: Performance, phones: Sequence[Phone], rig: MorphRig
) -> Iterator[tuple[int, Phone, bool]]:
    """Phones that say something about contact, and whether it is as it must be.

    Yields
    ------
    int
        0 for /p b m/, 1 for a long vowel, 2 for /f v/.
    Phone
        The phone.
    bool
        Whether lips are closed, open, or at the teeth.

    Raises
    ------
    UsageError
        As `contact_figures`.
    """
    upper, lower = (_place(rig, name) for name in ("innerLipUpper", "innerLipLower"))
    lip, teeth = (_place(rig, name) for name in ("lowerLipTop", "upperTeethEdge"))
    width = rig.mouth_width
    if width == 0.0 or len(upper) != len(lower):
        raise UsageError(f"The rig {rig.name!r} does not say where the corners of its mouth are.")
    for phone in phones:
        viseme = viseme_of(phone.symbol)
        if viseme in ("PP", "FF"):
            gaps = []
            for row in _rows(phone, performance):
                vertices = rig.posed(performance.weights[row], head=False).astype(np.float64)
                if viseme == "PP":
                    gaps.append(np.linalg.norm(vertices[upper] - vertices[lower], axis=1).max())
                else:
                    away = vertices[lip][:, None] - vertices[teeth][None]
                    gaps.append(np.linalg.norm(away, axis=2).min())
            limit = CLOSED if viseme == "PP" else TOUCHED
            yield (0 if viseme == "PP" else 2), phone, bool(min(gaps) < limit * width)
        elif viseme in _OPEN and phone.end - phone.start >= _LONG_S:
            middle = performance.at(0.5 * (phone.start + phone.end))
            vertices = rig.posed(middle, head=False).astype(np.float64)
            gap = np.linalg.norm(vertices[upper] - vertices[lower], axis=1).max()
            yield 1, phone, bool(gap >= CLOSED * width)


def _rows(phone: Phone, performance: Performance) -> range:
    """Rows within a phone; the nearest one where it is shorter than a row.

    A performance that ends before is held, as it is seen.
    """
    first = int(np.ceil(phone.start * performance.fps))
    last = int(np.ceil(phone.end * performance.fps)) - 1
    if last < first:
        first = last = round(0.5 * (phone.start + phone.end) * performance.fps)
    final = len(performance) - 1
    return range(min(first, final), min(last, final) + 1)


def _place(rig: MorphRig, name: str) -> NDArray[np.int32]:
    ids = rig.landmarks.get(name)
    if ids is None or not len(ids):
        raise UsageError(f"The rig {rig.name!r} does not say where its {name} is.")
    return ids
