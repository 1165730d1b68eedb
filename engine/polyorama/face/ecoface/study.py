"""How near the model comes to its teacher, on sentences and a voice that it has not met.

All of it is self-consistency: the teacher is rules, and the speech is synthetic. What is measured
says nothing about people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.face.corpus import (
    HELD_OUT,
    HELD_OUT_VOICE,
    SENTENCES,
    SPEAKERS,
    ClipPlan,
    Voice,
    speak_clip,
)
from polyorama.face.ecoface.config import FPS, GROUPS
from polyorama.face.ecoface.content import LISTENER
from polyorama.face.ecoface.generate import EcoFace, looped, upsampled
from polyorama.face.ecoface.measures import EmotionJudge, FaceMeter, interval
from polyorama.face.ecoface.training_data import LEVELS, TEACHER_STYLE, teacher_motion
from polyorama.face.motion.closures import clamped
from polyorama.face.motion.manners import SPEAKERS as MANNERS
from polyorama.face.motion.teacher import perform
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.corpus import Clip
    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["Measured", "StudySettings", "study"]

BILABIAL = frozenset(("P", "B", "M"))
_CLAMP_FPS = 60.0
_UNKNOWN = {
    # flite takes no pitch for this voice; the corpus gives it one afterwards.
    f"unknown voice {HELD_OUT_VOICE}": (Voice("flite", HELD_OUT_VOICE),),
    "unknown voices": (Voice("espeak", "gmw/en-US+adam"), Voice("espeak", "gmw/en-US+Andrea")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """How much is measured.

    Parameters
    ----------
    known
        Held-out sentences said by the eight speakers that were trained on.
    unknown
        Held-out sentences said by the voice of flite that was not, and as many by two of espeak's.
    judged
        Sentences, of those to train on, that the judge of emotions sees in all 15 groups.
    takes
        Seeds of sampling.
    temperature
        Of takes.
    """

    known: int = 48
    unknown: int = 30
    judged: int = 2
    takes: int = 3
    temperature: float = 0.7

    def __post_init__(self) -> None:
        if min(self.known, self.unknown, self.judged, self.takes) < 1:
            raise UsageError("A study takes a clip or more of each kind, and a take or more.")


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure.

    Parameters
    ----------
    name
        What it is, with its unit.
    group
        Whose clips: "known voices", "unknown voice rms", "unknown voices", or "all voices".
    source
        "model", or a baseline's name.
    value, low, high
        Mean and 95 % interval over clips.
    aim
        What it should at least be (or at most, if `at_most`); None where nothing is asked.
    """

    name: str
    group: str
    source: str
    value: float
    low: float
    high: float
    aim: float | None = None
    at_most: bool = False

    @property
    def holds(self) -> bool:
        """Whether the aim is met; True where there is none."""
        if self.aim is None:
            return True
        return self.value <= self.aim if self.at_most else self.value >= self.aim


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A held-out clip and all that is derived from it alone."""

    clip: Clip
    speaker: int
    group: str
    truth: NDArray[np.float32]
    content: NDArray[np.float32]
    feeling: NDArray[np.float32]
    heard: PhoneTrack | None

    @property
    def strengths(self) -> NDArray[np.float64]:
        row = np.zeros(len(EMOTIONS))
        row[self.clip.emotion] = LEVELS[self.clip.level]
        return row


class _Sums:
    """Values by name, group and source, and within by clip."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str, str], list[list[float]]] = {}
        self._clip: dict[tuple[str, str, str], list[float]] = {}

    def add(self, name: str, group: str, source: str, value: float) -> None:
        for where in (group, _ALL):
            self._clip.setdefault((name, where, source), []).append(float(value))

    def end_clip(self) -> None:
        """What was added since the last end is of one clip."""
        for key, values in self._clip.items():
            self.values.setdefault(key, []).append(values)
        self._clip = {}


_ALL = "all voices"
LVE = "lip vertex error (LVE), mm"
EVE = "upper-face error (EVE), mm"
FDD = "upper-face dynamics, teacher less made (FDD), mm"
CHOSEN = "emotion recognised, chosen at full strength"
HEARD = "emotion recognised, heard in the voice"
SWAP = "swap succeeds"
CLOSED = "/p b m/ closed, phones known"
CLOSED_HEARD = "/p b m/ closed, phones heard"
DIVERSITY = "distance of two takes, mean weight"
_MEAN, _WRONG, _BLIND = "mean face", "rules, wrong phones", "without the space of emotion"
_BASELINES = frozenset((_MEAN, _WRONG, _BLIND))
_AIMS = {CHOSEN: 0.80, HEARD: 0.80, SWAP: 0.75, CLOSED: 1.0}


def study(
    model: EcoFace, rig: MorphRig, settings: StudySettings | None = None, *,
    blind: EcoFace | None = None,
    phones_of: Callable[[NDArray[np.floating]], PhoneTrack] | None = None,
) -> Job[tuple[Measured, ...]]:  # fmt: skip
    """Measure a model.

    Parameters
    ----------
    model
        What is measured.
    rig
        In metres, such as the puppet.
    settings
        How much.
    blind
        The same VAE, trained without the space of emotion, as a baseline.
    phones_of
        Hears phones in speech without a transcript, for closures without phones; None leaves that
        out.

    Raises
    ------
    UnavailableError
        If a synthesiser of speech is not here.
    UsageError
        If the rig lacks lips or upper face.
    """
    s = settings or StudySettings()
    meter, sums = FaceMeter(rig), _Sums()
    judges = yield from _judges(s)
    said: list[_Said] = []
    plans = [*_known(s.known), *_unknown(s.unknown)]
    for number, (group, speaker, plan) in enumerate(plans):
        said.append(_prepared(model, group, speaker, plan, phones_of))
        yield Progress(number + 1, len(plans), "Speaking held-out sentences")
    for number, one in enumerate(said):
        other = said[(number + len(said) // 2 + 1) % len(said)]
        _against_teacher(model, meter, sums, one, other, blind, s)
        _emotions(model, judges[one.speaker], sums, one, s)
        _closures(model, meter, sums, one, s)
        _swap(model, judges[one.speaker], meter, sums, one, other, s)
        sums.end_clip()
        yield Progress(number + 1, len(said), "Measuring")
    return tuple(_rows(sums))


# -- clips -----------------------------------------------------------------------------------------


def _sentences(held_out: bool, seed: int) -> list[int]:
    numbers = [i for i in range(len(SENTENCES)) if (i in HELD_OUT) == held_out]
    return [int(i) for i in np.random.default_rng([seed, 76]).permutation(numbers)]


def _known(count: int) -> Iterator[tuple[str, int, ClipPlan]]:
    sentences = _sentences(True, 0)
    for n in range(count):
        speaker, (emotion, level) = n % len(SPEAKERS), GROUPS[(7 * n) % len(GROUPS)]
        sentence = sentences[n % len(sentences)]
        voice = SPEAKERS[speaker].voice
        plan = ClipPlan(SENTENCES[sentence], voice, emotion, level, speaker, sentence, 1000 + n)
        yield "known voices", speaker, plan


def _unknown(count: int) -> Iterator[tuple[str, int, ClipPlan]]:
    for number, (group, voices) in enumerate(_UNKNOWN.items()):
        sentences = _sentences(True, 1 + number)
        for n in range(count):
            (emotion, level), sentence = GROUPS[n % len(GROUPS)], sentences[n % len(sentences)]
            plan = ClipPlan(SENTENCES[sentence], voices[n % len(voices)], emotion, level, -1,
                            sentence, 1000 * (2 + number) + n)  # fmt: skip
            # The voice is nobody's, so the manner of each speaker in turn.
            yield group, n % len(MANNERS), plan


def _prepared(
    model: EcoFace, group: str, speaker: int, plan: ClipPlan,
    phones_of: Callable[[NDArray[np.floating]], PhoneTrack] | None,
) -> _Said:  # fmt: skip
    clip = speak_clip(plan)
    samples = clip.utterance.samples
    return _Said(
        clip, speaker, group, teacher_motion(clip, MANNERS[speaker], plan.seed),
        model.content(samples), model.emotion_of_sound(samples)[0],
        phones_of(samples) if phones_of is not None else None,
    )  # fmt: skip


def _judges(s: StudySettings) -> Job[list[EmotionJudge]]:
    """For each speaker a judge that has seen motion by rules of the others, of other sentences."""
    sentences = _sentences(False, 2)[: s.judged]
    motions, labels, whose = [], [], []
    total = len(sentences) * len(SPEAKERS)
    for n, sentence in enumerate(sentences):
        for speaker in range(len(SPEAKERS)):
            for group, (emotion, level) in enumerate(GROUPS):
                seed = 1000 * n + 20 * speaker + group
                plan = ClipPlan(SENTENCES[sentence], SPEAKERS[speaker].voice, emotion, level,
                                speaker, sentence, seed)  # fmt: skip
                motions.append(teacher_motion(speak_clip(plan), MANNERS[speaker], seed))
                labels.append(emotion)
                whose.append(speaker)
            yield Progress(n * len(SPEAKERS) + speaker + 1, total, "Teaching the judge")
    owner = np.array(whose)
    result = []
    for speaker in range(len(SPEAKERS)):
        others = np.flatnonzero(owner != speaker)
        result.append(EmotionJudge.fit([motions[i] for i in others], [labels[i] for i in others]))
    return result


def _by_rules(
    track: PhoneTrack, seconds: float, speaker: int, emotion: int, strength: float, seed: int
) -> NDArray[np.float32]:
    strengths = np.zeros(len(EMOTIONS))
    strengths[emotion] = strength
    made = perform(track, None, strengths, TEACHER_STYLE, MANNERS[speaker],
                   seconds=max(seconds, 1.0 / FPS), seed=seed, fps=FPS)  # fmt: skip
    return np.asarray(made.weights)


# -- what is measured ------------------------------------------------------------------------------


def _against_teacher(
    model: EcoFace, meter: FaceMeter, sums: _Sums, one: _Said, other: _Said,
    blind: EcoFace | None, s: StudySettings,
) -> None:  # fmt: skip
    truth = meter.vertices(one.truth)
    count = len(one.truth)

    def add(source: str, motion: NDArray[np.floating]) -> None:
        made = meter.vertices(motion)
        sums.add(LVE, one.group, source, meter.lip_error(truth, made))
        sums.add(EVE, one.group, source, meter.upper_error(truth, made))
        sums.add(FDD, one.group, source, meter.dynamics_gap(truth, made))

    takes = [
        model.generate(one.content, one.feeling, one.speaker, seed=seed, temperature=s.temperature)
        for seed in range(s.takes)
    ]
    for take in takes:
        add("model", take)
    if len(takes) > 1:
        apart = [np.abs(a - b).mean() for n, a in enumerate(takes) for b in takes[:n]]
        sums.add(DIVERSITY, one.group, "model", float(np.mean(apart)))
    chosen = model.emotion_features_for(one.strengths)
    add("model, feeling chosen", model.generate(
        one.content, chosen, one.speaker, seed=0, temperature=s.temperature
    ))  # fmt: skip
    if model.weights.facts.get("features") == LISTENER:
        said = model.content_of_phones(one.clip.utterance.track(), count)
        add("model, feeling and phones known", model.generate(
            said, chosen, one.speaker, seed=0, temperature=s.temperature
        ))  # fmt: skip
    add(_MEAN, np.tile(model.weights.units.mean["motion"], (count, 1)))
    wrong = _stretched(other.clip.utterance.track(), one.clip.utterance.seconds)
    add(_WRONG, _fitted(_by_rules(
        wrong, count / FPS, one.speaker, one.clip.emotion, LEVELS[one.clip.level], 5
    ), count))  # fmt: skip
    again = teacher_motion(one.clip, MANNERS[one.speaker], 77)
    add("rules, another take", _fitted(again, count))
    sums.add(DIVERSITY, one.group, "rules", float(np.abs(_fitted(again, count) - one.truth).mean()))
    if blind is not None:
        nothing = np.zeros((count, blind.weights.config.emotion), np.float32)
        add(_BLIND, blind.generate(
            one.content, nothing, one.speaker, seed=0, temperature=s.temperature
        ))  # fmt: skip


def _emotions(
    model: EcoFace, judge: EmotionJudge, sums: _Sums, one: _Said, s: StudySettings
) -> None:
    """Whether a judge sees what was chosen, at full strength, and what the voice was meant to be.

    The teacher in the place of the model says what the judge itself is worth.
    """
    emotion = one.clip.emotion
    chosen = model.emotion_features_for(np.eye(len(EMOTIONS))[emotion])
    sums.add(HEARD, one.group, "teacher", judge.emotion(one.truth) == emotion)
    for seed in range(s.takes):
        for name, feeling in ((CHOSEN, chosen), (HEARD, one.feeling)):
            made = model.generate(
                one.content, feeling, one.speaker, seed=seed, temperature=s.temperature
            )
            sums.add(name, one.group, "model", judge.emotion(made) == emotion)
            if name == HEARD:
                level = f"model, level {one.clip.level}"
                sums.add(name, one.group, level, judge.emotion(made) == emotion)


def _closures(model: EcoFace, meter: FaceMeter, sums: _Sums, one: _Said, s: StudySettings) -> None:
    """Lips at /p b m/: made by the model, with closures clamped as every source has them."""
    track = one.clip.utterance.track()
    motion = model.generate(
        one.content, one.feeling, one.speaker, seed=0, temperature=s.temperature
    )
    fast = np.asarray(upsampled(motion, _CLAMP_FPS).weights)
    for name, used in ((CLOSED, track), (CLOSED_HEARD, one.heard)):
        if used is None:
            continue
        for shut in meter.closed(clamped(fast, used, _CLAMP_FPS), _CLAMP_FPS, track, BILABIAL):
            sums.add(name, one.group, "model", shut)
    for shut in meter.closed(fast, _CLAMP_FPS, track, BILABIAL):
        sums.add(CLOSED, one.group, "model, not clamped", shut)


def _swap(
    model: EcoFace, judge: EmotionJudge, meter: FaceMeter, sums: _Sums, one: _Said, other: _Said,
    s: StudySettings,
) -> None:  # fmt: skip
    """Content of one clip, feeling of another's voice and of another's face.

    It succeeds where the judge sees the other's emotion, and the lips are nearer to what the
    teacher makes of this content in that feeling than to what it makes of the other's.
    """
    count = len(one.truth)
    emotion = other.clip.emotion
    right = meter.vertices(_fitted(
        teacher_motion(one.clip, MANNERS[one.speaker], 7, emotion), count
    ))  # fmt: skip
    theirs = _stretched(other.clip.utterance.track(), one.clip.utterance.seconds)
    wrong = meter.vertices(_fitted(
        _by_rules(theirs, count / FPS, one.speaker, emotion, 1.0, 8), count
    ))  # fmt: skip
    face = model.emotion_of_motion(Performance(other.truth, FPS))
    for source, feeling in (("from a voice", other.feeling), ("from a face", face)):
        for seed in range(s.takes):
            made = model.generate(
                one.content, looped(feeling, count), one.speaker, seed=seed,
                temperature=s.temperature,
            )  # fmt: skip
            vertices = meter.vertices(made)
            lips = meter.lip_error(vertices, right) < meter.lip_error(vertices, wrong)
            felt = judge.emotion(made) == emotion
            for name in (source, f"{source}, level {other.clip.level}"):
                sums.add(SWAP, one.group, name, lips and felt)
            sums.add("lips follow the content in a swap", one.group, source, lips)


def _fitted(motion: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Exactly `count` rows: the last is held, or what is too much left out."""
    return motion[np.minimum(np.arange(count), len(motion) - 1)]


def _stretched(track: PhoneTrack, seconds: float) -> PhoneTrack:
    """The same phones within another time."""
    factor = seconds / max(track.seconds, 1e-3)
    return PhoneTrack(tuple(
        Phone(p.symbol, p.start * factor, p.end * factor, p.stress) for p in track.phones
    ))  # fmt: skip


def _rows(sums: _Sums) -> Iterator[Measured]:
    """Figures by name, then by group of voices.

    Swaps are asked for over all voices; there errors shall be below those of the baselines, of the
    upper face but of those that know the feeling.
    """
    found = {key: interval(values) for key, values in sums.values.items()}
    for name, group, source in sorted(found, key=lambda key: key[0]):
        aim, at_most = None, False
        if name in (LVE, EVE) and (group, source) == (_ALL, "model"):
            names = _BASELINES if name == LVE else _BASELINES - {_WRONG}
            aim = min(found[name, group, b][0] for b in names if (name, group, b) in found)
            at_most = True
        elif name == SWAP:
            if source in ("from a voice", "from a face") and group == _ALL:
                aim = _AIMS[name]
        elif source == "model" and group != _ALL:
            aim = _AIMS.get(name)
        yield Measured(name, group, source, *found[name, group, source], aim, at_most)
