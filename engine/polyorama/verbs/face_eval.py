"""How good faces are here: alignment, listening, contact, motion, emotion and speed, measured."""

from __future__ import annotations

import importlib.resources
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.corpus import Clip
    from polyorama.scene.faces.performance import Performance

__all__ = ["PARTS", "FaceFigure", "face_eval_job"]

PARTS = ("alignment", "listener", "contact", "motion", "speed")
"""What can be measured, in the order in which it is."""
_MOST_TAKES = 100
_MINUTE = 60
_CONTACT_CLIPS = 42
_FILM_SECONDS = 4.0
_PAUSE_S = 0.25
_RATE = 16_000


@dataclass(frozen=True, slots=True)
class FaceFigure:
    """One figure.

    Parameters
    ----------
    part
        One of `PARTS`.
    name
        What it is, with its unit.
    value
        The figure.
    text
        The same for people, with its interval where it has one.
    aim
        What is asked, in words; "" where nothing is.
    holds
        Whether that is met.
    """

    part: str
    name: str
    value: float
    text: str
    aim: str = ""
    holds: bool = True


def face_eval_job(parts: Sequence[str] = PARTS, *, takes: int = 3) -> Job[tuple[FaceFigure, ...]]:
    """Measure parts of faces; on speech that nothing was trained on.

    Parameters
    ----------
    parts
        Of `PARTS`.
    takes
        Seeds of the model.

    Raises
    ------
    UsageError
        If there is no such part, or the takes are not 1 to 100.
    UnavailableError
        If flite, espeak-ng or pocketsphinx is not installed.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise UsageError(f"There is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    if not 1 <= takes <= _MOST_TAKES:
        raise UsageError(f"Takes are 1 to {_MOST_TAKES}, not {takes}.")
    found: list[FaceFigure] = []
    for part in PARTS:
        if part in parts:
            found += yield from _MEASURES[part](takes)
    return tuple(found)


def _alignment(_takes: int) -> Job[list[FaceFigure]]:
    from polyorama.face.speech.alignment_study import alignment_study

    study = yield from alignment_study()
    rows = [
        _at_most("alignment", f"error of phone starts, {voice.voice}, ms", 1e3 * voice.error, 15.0)
        for voice in study.voices
    ]
    failed = float(study.failures)
    return [*rows, _at_most("alignment", "sentences that were not aligned", failed, 0.0)]


def _listener(_takes: int) -> Job[list[FaceFigure]]:
    from polyorama.face.listener.study import listener_figures

    rows = []
    for figures in (yield from listener_figures()):
        where = f"{figures.lookahead_ms} ms, {figures.test}"
        for name, value, aim in zip(
            ("jaw", "rounding", "closure"), figures.direct, (0.80, 0.70, 0.75), strict=True
        ):
            rows.append(_at_least("listener", f"{name} curve, r, {where}", value, aim))
    return rows


def _contact(_takes: int) -> Job[list[FaceFigure]]:
    from polyorama.face.contact_study import contact_figures
    from polyorama.face.corpus import (
        HELD_OUT,
        HELD_OUT_VOICE,
        SENTENCES,
        ClipPlan,
        Voice,
        speak_clip,
    )
    from polyorama.face.rigs.opening import open_rig

    rig = open_rig("puppet")
    voice = Voice("flite", HELD_OUT_VOICE)
    clips = []
    for number, sentence in enumerate(sorted(HELD_OUT)[:_CONTACT_CLIPS]):
        yield Progress(number, _CONTACT_CLIPS, "Speaking held-out sentences")
        emotion = number % 8
        plan = ClipPlan(
            SENTENCES[sentence], voice, emotion, min(emotion, 1) + 1, -1, sentence, number
        )
        clips.append(speak_clip(plan))
    rows = []
    for source in ("rules", "model"):
        figures = yield from contact_figures(source, _Scripted(source), clips, rig)
        rows += [
            _share("/p b m/ with lips closed", source, figures.closed, figures.bilabials, 1.0),
            _share("long vowels with lips open", source, figures.opened, figures.vowels, 0.98),
            _share("/f v/ with lip at the teeth", source, figures.touched, figures.labiodentals,
                   0.9),
        ]  # fmt: skip
    return rows


class _Scripted:
    """Moves a face by a script, with the true phones and the clip's own emotion."""

    def __init__(self, source: str) -> None:
        from polyorama.face.stack.engine import StackEngine, shipped_engine

        self._source = source
        self._said = 0
        self._engine = StackEngine() if source == "rules" else shipped_engine()

    def __call__(self, clip: Clip) -> Performance:
        from polyorama.face.stack.evaluate import evaluate
        from polyorama.scene.contents import Audio
        from polyorama.scene.faces.script import EmotionKey, FaceScript

        self._said += 1
        weights = tuple(float(clip.emotion == number) for number in range(8))
        said = clip.utterance
        script = FaceScript(
            sound=Audio(samples=said.samples[:, None], rate=_RATE), phones=said.track(),
            source=self._source, emotion="keyed", emotion_keys=(EmotionKey(0.0, weights),),
            speaker=self._said % 8, seed=self._said,
        )  # fmt: skip
        return evaluate(script, self._engine).performance


def _motion(takes: int) -> Job[list[FaceFigure]]:
    from polyorama.face.ecoface.generate import EcoFace
    from polyorama.face.ecoface.study import StudySettings, study
    from polyorama.face.listener import Listener, phones_of
    from polyorama.face.rigs.opening import open_rig

    listener = Listener.load(60)
    folder = Path(str(importlib.resources.files("polyorama_assets"))) / "face"
    measured = yield from study(
        EcoFace.load(), open_rig("puppet"), StudySettings(takes=takes),
        blind=EcoFace.load(folder / "ecoface-blind.safetensors"),
        phones_of=lambda samples: phones_of(listener.listen(samples)),
    )  # fmt: skip
    rows = []
    for row in measured:
        bound = "at most" if row.at_most else "at least"
        rows.append(
            FaceFigure(
                "motion", f"{row.name}, {row.group}, {row.source}", row.value,
                f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]",
                "" if row.aim is None else f"{bound} {row.aim:g}", row.holds,
            )
        )  # fmt: skip
    return rows


def _speed(_takes: int) -> Job[list[FaceFigure]]:
    from polyorama.core.jobs import run
    from polyorama.face.exports.film import film_take
    from polyorama.face.rigs.opening import open_rig
    from polyorama.face.stack.engine import shipped_engine
    from polyorama.face.stack.evaluate import evaluate
    from polyorama.face.take import Take
    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript

    yield Progress(0, 0, "Speaking a minute")
    minute = Audio(samples=_minute()[:, None], rate=_RATE)
    # Once beforehand on another sound: reading weights and compiling is not what is measured.
    other = Audio(samples=minute.samples[: 2 * _RATE] * np.float32(0.9), rate=_RATE)
    engine = shipped_engine()
    evaluate(FaceScript(sound=other), engine)
    yield Progress(0, 0, "A minute of speech to curves")
    began = time.perf_counter()
    take = evaluate(FaceScript(sound=minute), engine)
    curves = time.perf_counter() - began
    rig = open_rig("puppet")
    count = round(_FILM_SECONDS * take.performance.fps)
    part = Take(Performance(take.performance.weights[:count]), take.provenance)
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        warm = Take(Performance(take.performance.weights[:8]), take.provenance)
        run(film_take(warm, rig, Path(folder) / "warm.mp4"))
        yield Progress(0, 0, "Filming at 1280x720")
        began = time.perf_counter()
        frames = run(film_take(part, rig, Path(folder) / "film.mp4"))
        filmed = time.perf_counter() - began
    return [
        _at_most("speed", "a minute of speech to curves, s", curves, 4.0),
        _at_least("speed", "film of the puppet at 1280x720, frames a second", frames / filmed, 8.0),
    ]


def _minute() -> NDArray[np.float32]:
    from polyorama.face.speech.alignment_study import SENTENCES, flite

    pieces: list[NDArray[np.float32]] = []
    for sentence in _again(SENTENCES):
        pieces += [flite(sentence)[0], np.zeros(int(_PAUSE_S * _RATE), np.float32)]
        if sum(map(len, pieces)) >= _MINUTE * _RATE:
            break
    return np.concatenate(pieces)[: _MINUTE * _RATE].astype(np.float32)


def _again(sentences: Sequence[str]) -> Iterator[str]:
    while True:
        yield from sentences


def _at_least(part: str, name: str, value: float, aim: float) -> FaceFigure:
    return FaceFigure(part, name, value, f"{value:.3g}", f"at least {aim:g}", value >= aim)


def _at_most(part: str, name: str, value: float, aim: float) -> FaceFigure:
    return FaceFigure(part, name, value, f"{value:.3g}", f"at most {aim:g}", value <= aim)


def _share(name: str, source: str, met: int, count: int, aim: float) -> FaceFigure:
    value = met / max(count, 1)
    text = f"{met} of {count}"
    return FaceFigure(
        "contact", f"{name}, {source}", value, text, f"at least {aim:.0%}", value >= aim
    )


_MEASURES = {
    "alignment": _alignment, "listener": _listener, "contact": _contact, "motion": _motion,
    "speed": _speed,
}  # fmt: skip
