"""Examples out of people's own recordings, for `polyorama face train`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.text import count_of
from polyorama.errors import UsageError
from polyorama.face.data.solving import weights_of_offsets
from polyorama.face.ecoface.config import FPS
from polyorama.face.ecoface.examples import Example, ExampleSet
from polyorama.face.ecoface.sound import rows_of_sound, sound_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.data.clips import ClipSource
    from polyorama.face.ecoface.content import ContentSource
    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["at_motion_rate", "examples_of"]


def examples_of(
    clips: Sequence[ClipSource], content: ContentSource, rig: MorphRig | None = None
) -> Job[ExampleSet]:
    """Read clips, hear them and bring their motion to 25 rows a second.

    Parameters
    ----------
    clips
        All of one kind of motion, as `polyorama.face.data.layouts.open_data` gives them.
    content
        What hears them.
    rig
        For clips of vertices: a rig that was fitted to the data set's template.

    Raises
    ------
    UsageError
        If there is none, kinds are mixed, or vertices come without a rig.
    FileFormatError
        If a clip is damaged.
    """
    targets = {clip.target for clip in clips}
    if len(targets) != 1:
        raise UsageError(
            "There is no clip to learn from; look at the folder's layout." if not targets else
            f"Clips of {' and '.join(sorted(targets))} cannot be learned together."
        )  # fmt: skip
    (target,) = targets
    if target == "vertices" and rig is None:
        raise UsageError(
            "These clips are vertices; give a rig that was fitted to the data set's template, so "
            "that they become channels."
        )
    persons = tuple(sorted({clip.person for clip in clips}))
    examples = []
    for number, clip in enumerate(clips):
        found = clip.read()
        motion = found.motion
        if rig is not None and target == "vertices":
            motion = weights_of_offsets(motion, rig)
        rows = at_motion_rate(motion, found.fps)
        # Sound and motion rarely end at once.
        count = min(len(rows), rows_of_sound(len(found.samples)))
        examples.append(Example(
            clip.name, content.rows(found.samples)[: 2 * count].astype(np.float16),
            sound_rows(found.samples)[: 2 * count].astype(np.float16), rows[:count],
            persons.index(clip.person), clip.emotion, clip.level,
        ))  # fmt: skip
        yield Progress(number + 1, len(clips), "Reading clips")
    kind = "flame" if target == "flame" else "arkit"
    said = f"Trained on {count_of(len(clips), 'clip')} of {count_of(len(persons), 'speaker')}."
    return ExampleSet(tuple(examples), persons, kind, content.name, said)


def at_motion_rate(motion: NDArray[np.floating], fps: float) -> NDArray[np.float32]:
    """(T, M) at 25 rows a second: between rows linear, where there are more rows their mean.

    Parameters
    ----------
    motion
        (n, M) at `fps`.
    """
    rows = np.asarray(motion, np.float64)
    count = max(round(len(rows) * FPS / fps), 1)
    places = np.arange(count) * (fps / FPS)
    # Two samples of each side of a row's share, so that nothing faster than the rate is folded in.
    step = max(fps / FPS, 1.0)
    offsets = np.linspace(-0.375, 0.375, 4) * step if step > 1.0 else np.zeros(1)
    total = np.zeros((count, rows.shape[1]))
    for offset in offsets:
        at = np.clip(places + offset, 0.0, len(rows) - 1.0)
        low = np.minimum(at.astype(np.int64), max(len(rows) - 2, 0))
        share = (at - low)[:, None]
        after = rows[np.minimum(low + 1, len(rows) - 1)]
        total += (1.0 - share) * rows[low] + share * after
    return np.asarray(total / len(offsets), np.float32)
