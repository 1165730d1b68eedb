"""Where each phone wants the mouth, how strongly, and for how long before and after.

The numbers are authored for a puppet with ARKit's shapes, by eye, from what is known of English
articulation (Cohen and Massaro 1993; Edwards et al. 2016, "JALI").
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "AHEAD", "ARTICULATORS", "ARTICULATOR_OF", "CARRY", "DIPHTHONGS", "PHONE_INDEX", "POWER",
    "REACH_S", "STRENGTH", "TARGET", "TRACKS", "TRACK_INDEX", "VOWELS",
]  # fmt: skip

ARTICULATORS: tuple[str, ...] = (
    "jaw", "width", "protrusion", "upper lip", "lower lip", "tongue", "speech",
)  # fmt: skip
"""What phones pull at, each with times of its own; "speech" tells silence from sound."""

_TRACKS_OF = {
    "jaw": ("open", "forward"),
    "width": ("spread",),
    "protrusion": ("pucker", "funnel"),
    "upper lip": ("upperUp", "shrugUpper"),
    "lower lip": ("lowerDown", "shrugLower"),
    "tongue": ("tongueOut",),
    "speech": ("speech",),
}

TRACKS: tuple[str, ...] = tuple(t for name in ARTICULATORS for t in _TRACKS_OF[name])
"""Curves that phones make."""

TRACK_INDEX: Mapping[str, int] = MappingProxyType({name: i for i, name in enumerate(TRACKS)})

ARTICULATOR_OF: NDArray[np.int64] = np.array(
    [i for i, name in enumerate(ARTICULATORS) for _ in _TRACKS_OF[name]], np.int64
)
"""(tracks,) which articulator a track belongs to."""

PHONE_INDEX: Mapping[str, int] = MappingProxyType({name: i for i, name in enumerate(PHONES)})

POWER = 1.3
"""c of D = alpha exp(-theta |tau|^c): above 1, so that curves have no corners."""

REACH_S = 0.5
"""How far from its edges a phone is felt at all, s: dominance is tapered to nothing there."""

_MS_BEFORE = (75.0, 75.0, 120.0, 60.0, 55.0, 45.0, 55.0)
_MS_AFTER = (80.0, 80.0, 95.0, 60.0, 55.0, 45.0, 70.0)


class _Pull(NamedTuple):
    """A phone's targets, and the strength of jaw, width, protrusion and lips."""

    open: float = 0.0
    spread: float = 0.0
    pucker: float = 0.0
    funnel: float = 0.0
    upper_up: float = 0.0
    lower_down: float = 0.0
    shrug_upper: float = 0.0
    shrug_lower: float = 0.0
    tongue: float = 0.0
    forward: float = 0.0
    jaw: float = 1.0
    width: float = 1.0
    protrusion: float = 1.0
    upper: float = 1.0
    lower: float = 1.0


def _lips_free(**pulls: float) -> _Pull:
    """A phone of the tongue alone: the lips go on with what its neighbours want."""
    free = {"width": 0.0, "protrusion": 0.0, "upper": 0.0, "lower": 0.0}
    return _Pull(**{**free, **pulls})


_BILABIAL = _Pull(open=0.10, jaw=0.45, width=0.25, protrusion=0.15)
_LABIODENTAL = _Pull(open=0.09, spread=0.10, upper_up=0.16, jaw=1.0, width=0.3, protrusion=0.45)
_SIBILANT = _Pull(open=0.07, spread=0.35, upper_up=0.14, lower_down=0.30, forward=0.10, jaw=4.0,
                  width=0.6, protrusion=0.35, upper=0.7, lower=0.8)  # fmt: skip
_HUSH = _Pull(open=0.09, pucker=0.18, funnel=0.60, upper_up=0.08, lower_down=0.16, forward=0.12,
              jaw=4.0, width=0.8, protrusion=1.2)  # fmt: skip
_DENTAL = _Pull(open=0.17, spread=0.10, upper_up=0.12, lower_down=0.24, tongue=0.42, jaw=0.9,
                width=0.3, protrusion=0.3, upper=0.6, lower=0.7)  # fmt: skip

_PULLS: dict[str, _Pull] = {
    "sil": _Pull(),
    "P": _BILABIAL, "B": _BILABIAL, "M": _BILABIAL,
    "F": _LABIODENTAL, "V": _LABIODENTAL,
    "TH": _DENTAL, "DH": _DENTAL,
    "T": _lips_free(open=0.13, jaw=0.7), "D": _lips_free(open=0.14, jaw=0.7),
    "K": _lips_free(open=0.22, jaw=0.45), "G": _lips_free(open=0.22, jaw=0.45),
    "NG": _lips_free(open=0.22, jaw=0.45), "HH": _lips_free(open=0.30, jaw=0.15),
    "CH": _HUSH, "JH": _HUSH, "SH": _HUSH, "ZH": _HUSH,
    "S": _SIBILANT, "Z": _SIBILANT,
    "N": _lips_free(open=0.15, jaw=0.6), "L": _lips_free(open=0.24, tongue=0.10, jaw=0.6),
    "R": _Pull(open=0.15, pucker=0.34, funnel=0.20, lower_down=0.08, jaw=0.6, width=0.3,
               protrusion=0.8, upper=0.3, lower=0.4),
    "ER": _Pull(open=0.24, pucker=0.32, funnel=0.26, lower_down=0.10, jaw=0.9, width=0.4,
                protrusion=0.8, upper=0.5, lower=0.6),
    "AA": _Pull(open=0.66, spread=0.02, upper_up=0.10, lower_down=0.20),
    "AE": _Pull(open=0.58, spread=0.42, upper_up=0.22, lower_down=0.32),
    "AH": _Pull(open=0.44, spread=0.10, upper_up=0.09, lower_down=0.18, jaw=0.9),
    "AY": _Pull(open=0.66, spread=0.12, upper_up=0.12, lower_down=0.24),
    "AW": _Pull(open=0.66, spread=0.05, upper_up=0.12, lower_down=0.22),
    "EH": _Pull(open=0.42, spread=0.38, upper_up=0.16, lower_down=0.28),
    "EY": _Pull(open=0.36, spread=0.48, upper_up=0.16, lower_down=0.30),
    "IH": _Pull(open=0.26, spread=0.38, upper_up=0.12, lower_down=0.24, jaw=0.9),
    "IY": _Pull(open=0.16, spread=0.85, upper_up=0.16, lower_down=0.32),
    "Y": _lips_free(open=0.13, spread=0.5, jaw=0.7, width=0.5),
    "AO": _Pull(open=0.56, pucker=0.26, funnel=0.56, lower_down=0.08, protrusion=1.2),
    "OW": _Pull(open=0.38, pucker=0.46, funnel=0.60, protrusion=1.3),
    "OY": _Pull(open=0.46, pucker=0.38, funnel=0.60, protrusion=1.3),
    "UH": _Pull(open=0.24, pucker=0.46, funnel=0.34, protrusion=1.2),
    "UW": _Pull(open=0.13, pucker=0.88, funnel=0.30, protrusion=1.4),
    "W": _Pull(open=0.08, pucker=0.95, funnel=0.12, jaw=1.0, protrusion=1.5),
}  # fmt: skip

VOWELS = frozenset(
    ("AA", "AE", "AH", "AY", "AW", "EH", "EY", "IH", "IY", "AO", "OW", "OY", "UH", "UW", "ER")
)

DIPHTHONGS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {"AY": ("IY", 0.58), "AW": ("UW", 0.55), "EY": ("IY", 0.60), "OY": ("IY", 0.60),
     "OW": ("UW", 0.62)}
)  # fmt: skip
"""What a diphthong glides to, and after which share of it."""

_ROUNDED = frozenset(("W", "UW", "UH", "OW", "OY", "AO", "SH", "ZH", "CH", "JH"))


def _targets() -> NDArray[np.float64]:
    rows = []
    for phone in PHONES:
        p = _PULLS[phone]
        rows.append((p.open, p.forward, p.spread, p.pucker, p.funnel, p.upper_up, p.shrug_upper,
                     p.lower_down, p.shrug_lower, p.tongue, float(phone != "sil")))  # fmt: skip
    return np.array(rows)


def _strengths() -> NDArray[np.float64]:
    rows = [(p.jaw, p.width, p.protrusion, p.upper, p.lower, 1.0, 1.0)
            for p in (_PULLS[phone] for phone in PHONES)]  # fmt: skip
    return np.array(rows)


def _rates(base: tuple[float, ...], before: bool) -> NDArray[np.float64]:
    milliseconds = np.tile(base, (len(PHONES), 1))
    for phone in _ROUNDED:  # lips are rounded early, and long
        milliseconds[PHONE_INDEX[phone], ARTICULATORS.index("protrusion")] *= 1.5 if before else 1.2
    for phone in ("S", "Z", "F", "V", "CH", "JH", "SH", "ZH"):  # the jaw is held in place, briefly
        milliseconds[PHONE_INDEX[phone], ARTICULATORS.index("jaw")] *= 0.7
    return np.asarray((milliseconds / 1000.0) ** -POWER)


TARGET: NDArray[np.float64] = _targets()
"""(phones, tracks) T_ip: where a phone wants each track, 0..1."""

STRENGTH: NDArray[np.float64] = _strengths()
"""(phones, articulators) alpha_ip; 0: a phone does not care."""

AHEAD: NDArray[np.float64] = _rates(_MS_BEFORE, before=True)
"""(phones, articulators) theta of anticipation, s^-c."""

CARRY: NDArray[np.float64] = _rates(_MS_AFTER, before=False)
"""(phones, articulators) theta of carry-over, s^-c."""

for _table in (ARTICULATOR_OF, TARGET, STRENGTH, AHEAD, CARRY):
    _table.flags.writeable = False
