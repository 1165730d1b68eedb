"""A script carried out, layer upon layer, making anew only what a change touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UnavailableError, UsageError
from polyorama.face.motion.changes import changed_spans
from polyorama.face.motion.closures import close_lips, contact, follow_jaw, open_lips
from polyorama.face.motion.manners import manner_of
from polyorama.face.motion.nonverbal import add_idle_life
from polyorama.face.motion.smoothing import reach, smoothed
from polyorama.face.motion.styling import limited, styled
from polyorama.face.motion.teacher import (
    EMOTION_FPS,
    ONSET_S,
    SETTLED_S,
    check_length,
    plan,
    raw_rows,
)
from polyorama.face.stack.engine import StackEngine, Work
from polyorama.face.stack.feelings import emotion_curve
from polyorama.face.stack.keys import apply_keys, eased, key_span
from polyorama.face.stack.memory import Memory, Rows, mark, runs
from polyorama.face.stack.ownership import channel_sources
from polyorama.face.take import Provenance, Take
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS, EMOTIONS, HEAD, REGIONS
from polyorama.scene.faces.performance import Performance

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from polyorama.face.motion.teacher import Plan
    from polyorama.scene.faces.script import FaceScript

T = TypeVar("T", bound="Hashable")

__all__ = ["MODEL_FPS", "TRACKER_FPS", "evaluate"]

MODEL_FPS = EMOTION_FPS
TRACKER_FPS = 60.0
_COMP_FADE_S = 0.08
_BLOCK = 3600
_HEAD = slice(CHANNEL_INDEX[HEAD[0]], CHANNEL_INDEX[HEAD[-1]] + 1)
_GAZE = np.array([CHANNEL_INDEX[name] for name in REGIONS["gaze"]])
_JAW, _CLOSE = CHANNEL_INDEX["jawOpen"], CHANNEL_INDEX["mouthClose"]


def evaluate(script: FaceScript, engine: StackEngine) -> Take:
    """Carry a script out.

    Phones become curves by rules and rows of the model; parts of other takes are laid in; each
    channel is taken from its one owner; keys lie over it; all is smoothed; lips meet where phones
    say so, whatever came before; limits come last. Where a tracker or a limit holds the jaw
    elsewhere, lips that meet still do; only a tracker or a limit of mouthClose itself parts them.

    Parameters
    ----------
    script
        What to carry out.
    engine
        With what; its memory of the script before makes a small change cheap, and its `work`
        tells afterwards what was made anew.

    Raises
    ------
    UsageError
        If the script lasts no time or more than `MOST_FRAMES`, names a tracker that it does not
        have, or gives the model neither sound nor phones.
    UnavailableError
        If it needs a model and there is none.
    """
    if not script.seconds > 0.0:
        raise UsageError("A face needs a sound or phones to follow; this one has neither.")
    check_length(script.seconds, engine.fps)
    sources = channel_sources(script)
    if "tracker" in sources and script.tracker is None:
        raise UsageError("A tracker is to move this face, but it has no tracked motion.")
    modelled = bool({"model", "mix"} & set(sources))
    if modelled and engine.generator is None:
        raise UnavailableError(
            "The model of motion is not here; install it with pip install 'polyorama[face]', "
            "or let rules move the face."
        )
    try:
        weights = _Making(script, engine, sources, modelled).made()
    except BaseException:
        engine.memory = Memory()  # half of it is of this script, half of the one before
        raise
    feel = emotion_curve(script, script.seconds, engine.fps, engine)
    return Take(
        Performance(weights, engine.fps),
        _provenance(script, engine, sources, modelled, feel),
        phones=script.phones,
        emotion=feel,
        sound=script.sound,
    )


class _Making:
    """One evaluation: what changed since the last, and the layers."""

    def __init__(
        self, script: FaceScript, engine: StackEngine, sources: tuple[str, ...], modelled: bool
    ) -> None:
        self.script, self.engine, self.memory = script, engine, engine.memory
        self.fps = engine.fps
        self.total = max(round(script.seconds * self.fps), 1)
        self.manner = manner_of(script.speaker)
        self.columns = {
            source: np.array([i for i, s in enumerate(sources) if s == source], np.int64)
            for source in ("rules", "model", "mix", "tracker")
        }
        self.modelled = modelled
        self.ruled = bool(len(self.columns["rules"]) or len(self.columns["mix"]))
        self.pad = int(np.ceil(reach(script.style.smoothing) * self.fps))
        self.work = {"rules": 0, "model": 0, "composed": 0}
        self.stale = np.zeros(self.total, bool)
        self.emotion = engine.emotion(script)
        self.plan = self._planned()

    def made(self) -> NDArray[np.float32]:
        """(T, 55) float32: all frames, of which only the stale are made."""
        self._forget_rules()
        if self.modelled:
            self._forget_takes()
        self._forget_final()
        final = self.memory.final
        for start, stop in _blocks(runs(~final.holds)):
            final.weights[start:stop] = self._composed(start, stop)
            final.holds[start:stop] = True
            self.work["composed"] += stop - start
        memory = self.memory
        memory.script, memory.plan, memory.emotion = self.script, self.plan, self.emotion
        self.engine.work = Work(**self.work)
        return final.weights.copy()

    # -- what no longer holds

    def _same(self, layer: str, *depends: Hashable) -> bool:
        """Whether a layer as a whole depends on what it did; remembers it."""
        before = self.memory.keys.get(layer)
        self.memory.keys[layer] = depends
        return before == depends

    def _planned(self) -> Plan:
        """The plan; that of before where all that it is made of is the same."""
        script, cues = self.script, self.engine.cues(self.script)
        same = self._same(
            "plan", script.phones, cues, script.style, script.speaker, script.seconds, script.seed,
            script.nonverbal,
        )  # fmt: skip
        if same and self.memory.plan is not None:
            return self.memory.plan
        return plan(
            script.phones, cues, script.style, self.manner,
            seconds=script.seconds, seed=script.seed, nonverbal=script.nonverbal,
        )  # fmt: skip

    def _forget_rules(self) -> None:
        script, memory = self.script, self.memory
        touched = np.zeros(self.total, bool)
        if not self._same(
            "rules",
            self.total,
            self.fps,
            script.style,
            script.speaker,
            script.seed,
            script.nonverbal,
        ):
            memory.rules = Rows(self.total)
            touched[:] = True
        elif memory.plan is None or memory.emotion is None:
            touched[:] = True
        else:
            mark(touched, changed_spans(memory.plan, self.plan), self.fps)
            felt = _changed(memory.emotion, self.emotion)
            spans = (((a - 1) / EMOTION_FPS - ONSET_S, b / EMOTION_FPS + SETTLED_S)
                     for a, b in runs(felt))  # fmt: skip
            mark(touched, spans, self.fps)
        memory.rules.holds[touched] = False
        self.stale |= touched

    def _forget_takes(self) -> None:
        memory, engine = self.memory, self.engine
        content = engine.content(self.script)
        count = len(content) // 2
        features = engine.features(self.script, self.emotion, count)
        assert engine.generator is not None
        same = self._same("takes", count, self.script.speaker, engine.generator.name)
        if not same or memory.content is None or memory.features is None:
            memory.takes.clear()
            self.stale[:] = True
        else:
            changed = _changed(memory.features, features)
            changed |= _changed(memory.content, content).reshape(-1, 2).any(axis=1)
            wide = np.zeros(count, bool)
            for start, stop in runs(changed):
                wide[max(start - engine.context, 0) : stop + engine.context] = True
            for take in memory.takes.values():
                take.holds[wide] = False
            spans = (((a - 3) / MODEL_FPS, (b + 2) / MODEL_FPS) for a, b in runs(wide))
            mark(self.stale, spans, self.fps)
        memory.content, memory.features = content, features

    def _forget_final(self) -> None:
        script, before, memory = self.script, self.memory.script, self.memory
        same = self._same(
            "final", self.total, self.fps, script.style, script.speaker, script.seed,
            script.temperature, script.source, script.mix, script.nonverbal, script.owners,
            script.limits, self.engine.generator is None,
        )  # fmt: skip
        if not same or before is None or not _shared(before.tracker, script.tracker):
            memory.final = Rows(self.total)
            return
        touched = self.stale
        keys = _differing(before.keys, script.keys)
        mark(touched, (key_span(curve) for curve in keys), self.fps)
        comp = _differing(before.comp, script.comp)
        mark(touched, ((span.start, span.end) for span in comp), self.fps)
        phones = set(before.phones.phones) ^ set(script.phones.phones)
        mark(touched, ((phone.start, phone.end) for phone in phones), self.fps)
        for start, stop in runs(touched.copy()):
            touched[max(start - self.pad, 0) : stop + self.pad] = True
        memory.final.holds[touched] = False

    # -- layers

    def _composed(self, start: int, stop: int) -> NDArray[np.float32]:
        script = self.script
        low, high = max(start - self.pad, 0), min(stop + self.pad, self.total)
        times = np.arange(low, high) / self.fps
        weights = self._owned(low, high, times)
        apply_keys(weights, script.keys, times)
        limited(weights)
        weights = smoothed(weights, self.fps, script.style.smoothing)[start - low : stop - low]
        tracked = weights[:, self.columns["tracker"]].copy()
        open_lips(weights, script.phones, start, self.fps)
        closed, bitten = contact(self.plan.closures, start, stop - start, self.fps)
        close_lips(weights, closed, bitten)
        jaw = weights[:, _JAW].copy()
        weights[:, self.columns["tracker"]] = tracked  # what is tracked is left as it was seen
        self._limit(weights, [limit for limit in script.limits if limit[0] != "mouthClose"])
        if _CLOSE not in self.columns["tracker"]:
            follow_jaw(weights, jaw, closed)
        self._limit(weights, [limit for limit in script.limits if limit[0] == "mouthClose"])
        return weights.astype(np.float32)

    @staticmethod
    def _limit(weights: NDArray[np.float64], limits: Iterable[tuple[str, float, float]]) -> None:
        for channel, least, most in limits:
            column = weights[:, CHANNEL_INDEX[channel]]
            np.clip(column, least, most, out=column)

    def _owned(self, low: int, high: int, times: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = np.zeros((high - low, len(CHANNELS)))
        columns = self.columns
        if self.ruled:
            rules = self._rules(low, high)
            weights[:, columns["rules"]] = rules[:, columns["rules"]]
        if self.modelled:
            model = self._model(low, high, times)
            weights[:, columns["model"]] = model[:, columns["model"]]
            if len(columns["mix"]):
                both = columns["mix"]
                share = self.script.mix
                weights[:, both] = (1.0 - share) * rules[:, both] + share * model[:, both]
        if len(columns["tracker"]) and self.script.tracker is not None:
            tracked = _between_rows(self.script.tracker, times * TRACKER_FPS)
            weights[:, columns["tracker"]] = tracked[:, columns["tracker"]]
        return weights

    def _rules(self, low: int, high: int) -> NDArray[np.float32]:
        rows = self.memory.rules
        for start, stop in _blocks(runs(~rows.holds[low:high])):
            first, count = low + start, stop - start
            rows.weights[first : first + count] = raw_rows(
                self.plan, self.emotion, self.script.style, self.manner,
                first=first, count=count, fps=self.fps, seed=self.script.seed,
            )  # fmt: skip
            rows.holds[first : first + count] = True
            self.work["rules"] += count
        return rows.weights[low:high]

    def _model(self, low: int, high: int, times: NDArray[np.float64]) -> NDArray[np.float64]:
        script = self.script
        weights = self._take(script.seed, script.temperature, low, high)
        for span in script.comp:
            first = max(int(np.ceil(span.start * self.fps)), low)
            last = min(int(np.floor(span.end * self.fps)) + 1, high)
            if first >= last:
                continue
            other = self._take(span.seed, span.temperature, first, last)
            here = times[first - low : last - low]
            fade = min(_COMP_FADE_S, 0.5 * (span.end - span.start))
            share = eased(np.minimum(here - span.start, span.end - here) / fade)[:, None]
            columns = [CHANNEL_INDEX[name] for name in REGIONS[span.region]]
            part = weights[first - low : last - low]
            part[:, columns] += share * (other[:, columns] - part[:, columns])
        weights[:, _HEAD] *= script.style.head
        # All that the model's eyes do is to stay where they look while its head turns.
        weights[:, _GAZE] *= script.style.head
        if self.plan.happens is not None:
            add_idle_life(weights, self.plan.happens, times, script.style, self.manner, script.seed)
        else:
            weights[:, _HEAD] = 0.0
            weights[:, _GAZE] = 0.0
        styled(weights, script.style)
        limited(weights)
        return weights

    def _take(self, seed: int, temperature: float, low: int, high: int) -> NDArray[np.float64]:
        """(high - low, 55) frames of a take, cubic between its rows (Catmull and Rom 1974)."""
        memory, engine = self.memory, self.engine
        assert engine.generator is not None
        assert memory.content is not None
        assert memory.features is not None
        count = len(memory.content) // 2
        rows = memory.take(seed, temperature, count)
        places = np.minimum(np.arange(low, high) * (MODEL_FPS / self.fps), count - 1.0)
        base = np.minimum(places.astype(np.int64), max(count - 2, 0))
        first, last = max(int(base[0]) - 1, 0), min(int(base[-1]) + 3, count)
        for start, stop in runs(~rows.holds[first:last]):
            part = slice(first + start, first + stop)
            rows.weights[part] = engine.generator.generate(
                memory.content, memory.features, self.script.speaker,
                seed=seed, temperature=temperature, start=part.start, stop=part.stop,
            )  # fmt: skip
            rows.holds[part] = True
            self.work["model"] += stop - start
        t = (places - base)[:, None]
        p0, p1, p2, p3 = (
            rows.weights[np.clip(base + k, 0, count - 1)].astype(np.float64) for k in (-1, 0, 1, 2)
        )
        bent = 2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * (3.0 * (p1 - p2) + p3 - p0)
        return np.asarray(p1 + 0.5 * t * (p2 - p0 + t * bent))


def _changed(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) which rows differ; all where there are not as many."""
    if old.shape != new.shape:
        return np.ones(len(new), bool)
    return np.asarray((old != new).any(axis=1))


def _shared(old: NDArray[Any] | None, new: NDArray[Any] | None) -> bool:
    """Whether two arrays are one: a script makes a view of its own of what it is given."""
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and old.ctypes.data == new.ctypes.data


def _differing(old: tuple[T, ...], new: tuple[T, ...]) -> set[T]:
    """What is only in one of two tuples; all where the order of the rest, which counts, differs."""
    one, other = set(old), set(new)
    both = one & other
    unlike = [x for x in old if x in both] != [x for x in new if x in both]
    return one | other if unlike else one ^ other


def _blocks(found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs in pieces of a bounded size."""
    return [
        (start, min(start + _BLOCK, stop))
        for begin, stop in found
        for start in range(begin, stop, _BLOCK)
    ]


def _between_rows(rows: NDArray[np.float32], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows at places between them, linear; held at the ends."""
    places = np.clip(places, 0.0, len(rows) - 1.0)
    low = places.astype(np.int64)
    share = (places - low)[:, None]
    after = rows[np.minimum(low + 1, len(rows) - 1)]
    return np.asarray((1.0 - share) * rows[low] + share * after, np.float64)


def _provenance(
    script: FaceScript, engine: StackEngine, sources: tuple[str, ...], modelled: bool,
    feel: NDArray[np.float32],
) -> Provenance:  # fmt: skip
    from polyorama import __version__

    mean = feel.mean(axis=0)
    felt = EMOTIONS[int(mean.argmax())]
    words = {
        "keyed": "keyed",
        "detected": f"heard, mostly {felt}",
        "swapped": f"taken from {script.emotion_name or 'elsewhere'}, mostly {felt}",
    }[script.emotion]
    differ = len(set(sources)) > 1
    model = engine.generator if modelled else None
    return Provenance(
        source=script.source,
        model=model.name if model is not None else "",
        training=model.trained_on if model is not None else "",
        seed=script.seed,
        temperature=script.temperature if model is not None else 0.0,
        speaker=manner_of(script.speaker).name,
        emotion=words,
        program=f"Polyorama {__version__}",
        channels=FrozenMap(dict(zip(CHANNELS, sources, strict=True)) if differ else {}),
    )
