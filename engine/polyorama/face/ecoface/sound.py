"""What the encoder of emotion hears: prosody, fifty times a second, without words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.ecoface.config import CONTENT_FPS
from polyorama.face.speech.prosody import RATE, prosody

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SOUND", "rows_of_sound", "sound_rows"]

SOUND = 13
"""Values of a row: log pitch, pitch above the clip's median and whether there is one, periodicity,
level and level under the clip's loud parts, tilt, jitter, shimmer, harmonicity, flux, centroid, and
how fast pitch moves."""

_FLOOR_DB = -70.0


def rows_of_sound(samples: int) -> int:
    """Rows of motion that samples at 16 kHz fill: at least one."""
    return max(-(-samples * CONTENT_FPS // RATE) + 1, 2) // 2


def sound_rows(samples: NDArray[np.floating]) -> NDArray[np.float32]:
    """(2T, SOUND) float32 of (n,) samples at 16 kHz; row k is about k / 50 s.

    Raises
    ------
    UsageError
        If the samples are not one row of finite numbers.
    """
    count = 2 * rows_of_sound(len(samples))
    heard = prosody(samples, fps=CONTENT_FPS)
    voiced = heard.f0 > 0.0
    octaves = np.zeros(len(heard))
    if voiced.any():
        # Between voiced stretches pitch goes on in a straight line.
        places = np.arange(len(heard))
        octaves = np.interp(places, places[voiced], np.log2(heard.f0[voiced] / 150.0))
    middle = np.median(octaves[voiced]) if voiced.any() else 0.0
    level = np.maximum(heard.energy, _FLOOR_DB)
    loud = np.quantile(level, 0.9) if len(level) else 0.0
    rows = np.stack([
        octaves, octaves - middle, voiced, heard.voicing, level / 10.0, (level - loud) / 10.0,
        heard.tilt / 10.0, np.minimum(heard.jitter, 0.2) * 10.0,
        np.minimum(heard.shimmer, 1.0), heard.hnr / 10.0, heard.flux, heard.centroid / 1000.0,
        np.gradient(octaves) * CONTENT_FPS if len(heard) > 1 else np.zeros(len(heard)),
    ], axis=1)  # fmt: skip
    short = count - len(rows)
    if short > 0:
        last = rows[-1:] if len(rows) else np.zeros((1, SOUND))
        rows = np.concatenate([rows, np.repeat(last, short, axis=0)])
    return rows[:count].astype(np.float32)
