"""Layers of a face: what a change touches is made again, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.motion.manners import SPEAKERS
from polyorama.face.motion.prosody_cues import prosody_cues
from polyorama.face.motion.teacher import perform
from polyorama.face.stack import edits
from polyorama.face.stack import evaluate as evaluate_module
from polyorama.face.stack.engine import StackEngine, Work
from polyorama.face.stack.evaluate import evaluate
from polyorama.face.stack.feelings import emotion_curve
from polyorama.face.stack.keys import apply_keys, monotone
from polyorama.face.stack.memory import Memory
from polyorama.face.stack.ownership import channel_sources, conflicts
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS, EMOTIONS, REGIONS, region_of
from polyorama.scene.faces.phones import PHONES, Phone, PhoneTrack, Word
from polyorama.scene.faces.script import (
    ChannelKeys,
    CompSpan,
    EmotionKey,
    FaceScript,
    FaceStyle,
    Owner,
)

SPOKEN = [p for p in PHONES if p != "sil"]
CONTEXT = 6
SECONDS = 12.0
HAPPY, SAD = (tuple(np.eye(8)[EMOTIONS.index(name)]) for name in ("happy", "sad"))


class MadeUpModel:
    """A stand-in: each row is a fixed mean of content, feeling and noise within its context."""

    name = "made-up 1"
    trained_on = "Made up."

    def __init__(self):
        rng = np.random.default_rng(0)
        self.of_content = rng.uniform(-0.4, 0.6, (40, 55))
        self.of_feeling = rng.uniform(-0.3, 0.5, (8, 55))

    def content(self, samples):
        rows = max(len(samples) // 640, 1) * 2
        return np.random.default_rng(1).uniform(0, 1, (rows, 40)).astype(np.float32)

    def content_of_phones(self, track, count):
        rows = np.zeros((2 * count, 40), np.float32)
        times = (np.arange(2 * count) + 0.5) / 50.0
        for phone in track.phones:
            said = (times >= phone.start) & (times < phone.end)
            rows[said, PHONES.index(phone.symbol)] = 1.0
        return rows

    def emotion_of_sound(self, samples):
        rows = np.tile(np.eye(8, dtype=np.float32)[2], (max(len(samples) // 640, 1), 1))
        return np.hstack([rows, rows]), rows

    def probabilities(self, features):
        return features[:, :8]

    def emotion_features_for(self, emotion):
        return np.hstack([emotion, emotion]).astype(np.float32)

    def generate(self, content, emotion_features, speaker=0, *, seed=0, temperature=0.7, start=0,
                 stop=None):  # fmt: skip
        count = len(content) // 2
        stop = count if stop is None else stop
        rows = np.arange(start, stop)
        near = np.clip(rows[:, None] + np.arange(-CONTEXT, CONTEXT + 1), 0, count - 1)
        said = content[2 * near].mean(axis=1) @ self.of_content
        felt = emotion_features[near, :8].mean(axis=1) @ self.of_feeling
        chance = np.sin(rows[:, None] * (seed + 1.7) + np.arange(55) * 2.3)
        made = said + felt + 0.1 * temperature * chance + 0.01 * speaker
        made[:, :52] = np.clip(made[:, :52], 0.0, 1.0)
        return made.astype(np.float32)


def speech(seed: int = 0, seconds: float = SECONDS) -> PhoneTrack:
    rng = np.random.default_rng(seed)
    phones: list[Phone] = []
    time = 0.4
    while time < seconds - 1.2:
        for _ in range(rng.integers(8, 22)):
            lasts = round(rng.uniform(0.05, 0.16), 3)
            if time + lasts > seconds - 0.3:
                break
            stress = int(rng.choice([-1, 0, 1, 2]))
            phones.append(Phone(SPOKEN[rng.integers(39)], time, time + lasts, stress))
            time = phones[-1].end
        time = round(time + rng.uniform(0.3, 0.8), 3)
    return PhoneTrack((*phones, Phone("sil", time, max(seconds, time + 0.1))))


def script_of(**changes) -> FaceScript:
    keys = (EmotionKey(1.0, HAPPY), EmotionKey(6.0, SAD))
    fields = {"phones": speech(), "source": "rules", "emotion": "keyed", "emotion_keys": keys}
    return FaceScript(**{**fields, **changes})


def engine_of(**changes) -> StackEngine:
    return StackEngine(MadeUpModel(), context=CONTEXT, **changes)


def same_as_anew(script: FaceScript, engine: StackEngine):
    take = evaluate(script, engine)
    np.testing.assert_allclose(
        take.performance.weights, evaluate(script, engine_of()).performance.weights, atol=1e-6
    )
    return take


def test_rules_alone_are_what_the_teacher_performs():
    script = script_of(speaker=2, seed=5, style=FaceStyle(jaw=1.2))
    take = evaluate(script, StackEngine())
    curve = emotion_curve(script, script.seconds, 25.0)
    made = perform(script.phones, None, curve, script.style, SPEAKERS[2],
                   seconds=script.seconds, seed=5)  # fmt: skip
    np.testing.assert_allclose(take.performance.weights, made.weights, atol=1e-6)
    assert take.provenance.source == "rules"
    assert take.provenance.speaker == SPEAKERS[2].name
    assert take.provenance.model == ""


@pytest.mark.parametrize("source", ["rules", "model", "mix"])
def test_a_boundary_that_is_moved_touches_its_neighbourhood_alone(source):
    script, engine = script_of(source=source, style=FaceStyle(smoothing=0.1)), engine_of()
    before = evaluate(script, engine).performance.weights
    total = len(before)
    assert engine.work.composed == total
    index = 20
    place = script.phones.phones[index].end
    moved = edits.set_phone_boundary(script, index, place + 0.03)
    take = same_as_anew(moved, engine)
    assert 0 < engine.work.composed < 0.35 * total
    if source != "model":
        assert 0 < engine.work.rules < 0.35 * total
    if source != "rules":
        assert 0 < engine.work.model < 0.2 * SECONDS * 25
    changed = np.flatnonzero(np.abs(take.performance.weights - before).max(axis=1) > 1e-6) / 60.0
    assert len(changed)
    assert changed.min() > place - 1.2
    assert changed.max() < place + 1.2
    back = same_as_anew(script, engine)
    np.testing.assert_allclose(back.performance.weights, before, atol=1e-6)


def test_nothing_is_made_again_where_nothing_changed():
    script, engine = script_of(source="mix"), engine_of()
    first = evaluate(script, engine)
    again = evaluate(replace(script), engine)
    assert engine.work == Work(0, 0, 0)
    np.testing.assert_array_equal(first.performance.weights, again.performance.weights)


def random_edit(script: FaceScript, rng: np.random.Generator) -> FaceScript:
    phones = script.phones.phones
    time = float(rng.uniform(0.5, SECONDS - 1.0))
    name = CHANNELS[rng.integers(55)]
    region = list(REGIONS)[rng.integers(len(REGIONS))]
    which = rng.integers(14)
    if which == 0:
        index = int(rng.integers(len(phones) - 1))
        return edits.set_phone_boundary(script, index, phones[index].end + rng.normal(0, 0.04))
    if which == 1:
        index = int(rng.integers(len(phones) - 1))
        return edits.set_phone_boundary(
            script, index, phones[index].start + rng.normal(0, 0.04), edge="start"
        )
    if which == 2:
        return edits.set_phone_symbol(
            script, int(rng.integers(len(phones) - 1)), SPOKEN[rng.integers(39)]
        )
    if which == 3:
        return edits.remove_phone(script, int(rng.integers(len(phones) - 1)))
    if which == 4:
        return edits.add_emotion_key(script, time, tuple(rng.uniform(0, 1, 8)))
    if which == 5 and script.emotion_keys:
        return edits.remove_emotion_key(script, int(rng.integers(len(script.emotion_keys))))
    if which == 6:
        mode = "add" if rng.random() < 0.5 else "replace"
        return edits.set_channel_key(script, name, time, rng.uniform(0, 1), mode=mode, fade=0.2)
    if which == 7 and script.keys:
        return edits.remove_channel_keys(script, script.keys[0].channel)
    if which == 8:
        return edits.comp_span(script, region, time, time + 0.7, int(rng.integers(9)))
    if which == 9 and script.comp:
        return edits.remove_comp(script, 0)
    if which == 10:
        return edits.own(script, region, ("rules", "model", "mix")[rng.integers(3)])
    if which == 11:
        return edits.set_limit(script, name, 0.1, 0.6)
    if which == 12:
        return replace(script, style=FaceStyle(smoothing=float(rng.uniform(0, 0.2)), brows=1.3))
    return replace(script, seed=int(rng.integers(3)))


@pytest.mark.parametrize("seed", range(3))
def test_any_edits_one_after_another_give_what_a_fresh_start_gives(seed):
    rng = np.random.default_rng(seed)
    script, engine = script_of(source=("rules", "model", "mix")[seed]), engine_of()
    for _ in range(6):
        script = random_edit(script, rng)
        evaluate(script, engine)
        script = random_edit(random_edit(script, rng), rng)
        same_as_anew(script, engine)


def test_what_happens_is_planned_anew_only_where_speech_or_manner_changes(monkeypatch):
    planned = []
    real = evaluate_module.plan

    def counted(*args, **options):
        planned.append(1)
        return real(*args, **options)

    monkeypatch.setattr(evaluate_module, "plan", counted)
    script, engine = script_of(), engine_of()
    evaluate(script, engine)
    keyed = edits.set_channel_key(script, "jawOpen", 3.0, 0.5)
    evaluate(edits.set_limit(keyed, "jawOpen", 0.0, 0.6), engine)
    assert len(planned) == 1
    for changed in (
        edits.set_phone_boundary(keyed, 3, keyed.phones.phones[3].end + 0.02),
        replace(keyed, seed=2),
        replace(keyed, nonverbal=False),
        replace(keyed, style=FaceStyle(blinks=2.0)),
    ):
        before = len(planned)
        evaluate(changed, engine)
        assert len(planned) == before + 1


def test_a_key_of_emotion_touches_what_it_changes():
    script, engine = script_of(source="mix"), engine_of()
    total = len(evaluate(script, engine).performance)
    same_as_anew(edits.add_emotion_key(script, 8.0, HAPPY), engine)
    assert 0 < engine.work.composed < 0.75 * total
    assert 0 < engine.work.model < 0.7 * SECONDS * 25


def test_a_part_of_another_take_is_made_alone_and_only_in_its_region():
    script, engine = script_of(source="model"), engine_of()
    before = evaluate(script, engine).performance.weights
    take = same_as_anew(edits.comp_span(script, "brows", 3.0, 4.0, seed=9), engine)
    assert 0 < engine.work.model < 45
    assert engine.work.composed < 80
    changed = np.abs(take.performance.weights - before).max(axis=0) > 1e-6
    assert {CHANNELS[i] for i in np.flatnonzero(changed)} <= set(REGIONS["brows"])
    assert changed.any()


def test_an_error_on_the_way_leaves_no_half_memory():
    script, engine = script_of(source="model"), engine_of()
    before = evaluate(script, engine).performance.weights
    phones = script.phones.phones
    moved = edits.set_phone_boundary(script, 2, phones[2].end + 0.03)
    moved = edits.set_phone_boundary(moved, len(phones) - 5, phones[-5].end + 0.03)
    sound, calls = engine.generator.generate, []

    def fails_the_second_time(*args, **kwargs):
        calls.append(kwargs["start"])
        if len(calls) == 2:
            raise MemoryError
        return sound(*args, **kwargs)

    engine.generator.generate = fails_the_second_time
    with pytest.raises(MemoryError):
        evaluate(moved, engine)
    engine.generator.generate = sound
    np.testing.assert_array_equal(evaluate(script, engine).performance.weights, before)
    same_as_anew(moved, engine)


def test_phrases_that_end_elsewhere_turn_eyes_elsewhere():
    """Eyes hand over at the ends of phrases, and are held for as long as they look there."""
    gaze = [CHANNEL_INDEX[name] for name in REGIONS["gaze"]]
    turned = 0
    for seed in range(5):
        script, engine = script_of(seed=seed, phones=speech(seed)), engine_of()
        phones = script.phones.phones
        ends = [i for i in range(len(phones) - 1) if phones[i + 1].start - phones[i].end > 0.2]
        for index in ends:
            shorter = script
            for back in range(3):
                shorter = edits.remove_phone(shorter, index - back)
            before = evaluate(script, engine).performance.weights
            take = same_as_anew(shorter, engine)
            turned += bool(np.abs(take.performance.weights - before)[:, gaze].max() > 0.02)
    assert turned


def test_what_is_smoothed_reaches_beyond_its_keys():
    script = script_of(style=FaceStyle(smoothing=0.3))
    engine = engine_of()
    evaluate(script, engine)
    keyed = edits.set_channel_key(script, "browInnerUp", 5.0, 1.0, fade=0.02)
    same_as_anew(keyed, engine)
    same_as_anew(edits.remove_channel_keys(keyed, "browInnerUp"), engine)


@pytest.mark.parametrize("source", ["rules", "model", "mix"])
def test_lips_meet_whatever_moves_them(source):
    script = script_of(
        source=source,
        style=FaceStyle(smoothing=0.3),
        keys=tuple(
            ChannelKeys(name, (0.0, 11.0), (0.8, 0.8), "add") for name in ("jawOpen", "mouthClose")
        ),
    )
    take = evaluate(script, engine_of())
    jaw, close = (take.performance.channel(name) for name in ("jawOpen", "mouthClose"))
    bilabials = [p for p in script.phones.phones if p.symbol in ("P", "B", "M")]
    assert bilabials
    for phone in bilabials:
        frames = [k for k in range(len(jaw)) if phone.start <= k / 60.0 < phone.end]
        assert (jaw[frames] == close[frames]).any()
    vowels = [p for p in script.phones.phones if p.symbol in ("AA", "AE", "AO")]
    assert vowels
    for phone in vowels:
        frames = [k for k in range(len(jaw)) if phone.start <= k / 60.0 < phone.end]
        assert (jaw - close)[frames].max() > 0.1


@pytest.mark.parametrize("jaw", ["tracked", "least", "most"])
def test_lips_meet_wherever_a_tracker_or_a_limit_holds_the_jaw(jaw):
    tracker = np.full((800, 55), 0.6, np.float32)
    changes = {
        "tracked": {"tracker": tracker, "owners": (Owner("jaw", "tracker"),)},
        "least": {"limits": (("jawOpen", 0.3, 1.0),)},
        "most": {"limits": (("jawOpen", 0.0, 0.05),)},
    }[jaw]
    script = script_of(**changes)
    take = same_as_anew(script, engine_of())
    held, close = (take.performance.channel(name) for name in ("jawOpen", "mouthClose"))
    low, high = {"tracked": (0.6, 0.6), "least": (0.3, 1.0), "most": (0.0, 0.05)}[jaw]
    assert held.min() >= np.float32(low)
    assert held.max() <= np.float32(high)
    assert (close <= held).all()
    bilabials = [p for p in script.phones.phones if p.symbol in ("P", "B", "M")]
    assert bilabials
    for phone in bilabials:
        frames = [k for k in range(len(held)) if phone.start <= k / 60.0 < phone.end]
        np.testing.assert_allclose((held - close)[frames].min(), 0.0, atol=1e-7)
    own = evaluate(replace(script, limits=(("mouthClose", 0.0, 0.02),)), engine_of())
    assert own.performance.channel("mouthClose").max() <= np.float32(0.02)


def test_eyes_of_the_model_answer_its_head_as_far_as_it_turns():
    style = FaceStyle(blinks=0.0, gaze=0.0, breath=0.0, head=0.0)
    take = evaluate(script_of(source="model", style=style), engine_of())
    assert np.abs(take.performance.channel("headYaw")).max() == 0.0
    # What is left is the drift of a fixed eye.
    assert take.performance.channel("eyeLookOutLeft").max() < 0.03
    freer = replace(style, head=1.0)
    take = evaluate(script_of(source="model", style=freer), engine_of())
    assert take.performance.channel("eyeLookOutLeft").max() > 0.1


def test_only_as_many_takes_are_kept_as_have_room():
    memory = Memory()
    for seed in range(30):
        memory.take(seed, 0.7, 100)
    assert list(memory.takes) == [(seed, 0.7) for seed in range(6, 30)]
    long = 1_000_000  # 220 MB each; the memory is taken where rows are made, not before
    for seed in range(4):
        memory.take(seed, 0.7, long)
    assert list(memory.takes) == [(2, 0.7), (3, 0.7)]


def test_each_channel_has_one_owner():
    tracker = np.random.default_rng(0).uniform(0, 1, (800, 55)).astype(np.float32)
    owners = (Owner("brows", "tracker"), Owner("browInnerUp", "rules"), Owner("mouth", "model"))
    script = script_of(tracker=tracker, owners=owners)
    sources = dict(zip(CHANNELS, channel_sources(script), strict=True))
    assert sources["browInnerUp"] == "rules"
    assert sources["browDownLeft"] == "tracker"
    assert sources["mouthPucker"] == "model"
    assert sources["jawOpen"] == "rules"
    take = same_as_anew(script, engine_of())
    column = CHANNEL_INDEX["browDownLeft"]
    np.testing.assert_allclose(
        take.performance.weights[:600, column], tracker[:600, column], atol=1e-6
    )
    assert take.provenance.channels["browDownLeft"] == "tracker"


def test_what_is_tracked_is_left_as_it_was_seen():
    tracker = np.random.default_rng(0).uniform(0, 1, (800, 55)).astype(np.float32)
    owners = tuple(Owner(region, "tracker") for region in REGIONS)
    take = evaluate(script_of(tracker=tracker, owners=owners), StackEngine())
    np.testing.assert_allclose(
        take.performance.weights, tracker[: len(take.performance)], atol=1e-6
    )


def test_with_the_same_tracker_a_small_change_stays_small():
    tracker = np.zeros((800, 55), np.float32)
    script, engine = script_of(tracker=tracker, owners=(Owner("brows", "tracker"),)), engine_of()
    evaluate(script, engine)
    same_as_anew(edits.set_channel_key(script, "jawOpen", 3.0, 0.5), engine)
    assert engine.work.composed < 40
    other = replace(script, tracker=tracker + 0.2)
    same_as_anew(other, engine)


def test_keys_bend_smoothly_never_overshoot_and_fade():
    times = np.arange(0, 5, 0.01)
    keys = ChannelKeys("browInnerUp", (1.0, 2.0, 2.5, 4.0), (0.2, 0.8, 0.8, 0.1), fade=0.5)
    weights = np.full((len(times), 55), 0.4)
    apply_keys(weights, (keys,), times)
    column = weights[:, CHANNEL_INDEX["browInnerUp"]]
    assert column[50:400].max() <= 0.8 + 1e-12
    np.testing.assert_allclose(column[200:251], 0.8)
    np.testing.assert_allclose(column[[100, 400]], [0.2, 0.1])
    np.testing.assert_allclose(column[[0, 49, 451, 499]], 0.4)
    assert np.abs(np.diff(column)).max() < 0.02
    others = np.delete(weights, CHANNEL_INDEX["browInnerUp"], axis=1)
    assert (others == 0.4).all()
    added = np.full((len(times), 55), 0.4)
    apply_keys(added, (replace(keys, mode="add"),), times)
    np.testing.assert_allclose(added[100, CHANNEL_INDEX["browInnerUp"]], 0.6)


def test_monotone_curves_keep_their_order():
    rng = np.random.default_rng(0)
    for _ in range(20):
        places = np.sort(rng.uniform(0, 10, 8))
        values = np.sort(rng.normal(0, 1, 8))
        curve = monotone(places, values, np.linspace(-1, 11, 400))
        assert (np.diff(curve) >= -1e-12).all()
        np.testing.assert_allclose(monotone(places, values, places), values)


def test_emotion_blends_from_key_to_key():
    script = script_of(emotion_keys=(EmotionKey(1.0, HAPPY), EmotionKey(3.0, SAD)))
    curve = emotion_curve(script, 5.0, 10.0)
    happy, sad = curve[:, EMOTIONS.index("happy")], curve[:, EMOTIONS.index("sad")]
    np.testing.assert_allclose(happy[[0, 10, 20, 30, 45]], [1, 1, 0.5, 0, 0], atol=1e-6)
    np.testing.assert_allclose(happy + sad, 1.0, atol=1e-6)
    assert emotion_curve(script_of(emotion_keys=()), 2.0, 10.0)[:, 0].min() == 1.0


def sounding(**changes) -> FaceScript:
    samples = np.random.default_rng(0).normal(0, 0.1, (16000 * 3, 1)).astype(np.float32)
    return script_of(sound=Audio(samples=samples, rate=16000), phones=PhoneTrack(), **changes)


def hearing_engine(generator) -> StackEngine:
    return StackEngine(
        generator,
        context=CONTEXT,
        samples_of=lambda sound: sound.samples[:, 0],
        prosody_of=lambda samples: None,
    )


def test_feelings_are_heard_or_taken_from_elsewhere():
    engine = hearing_engine(MadeUpModel())
    take = evaluate(sounding(source="model", emotion="detected"), engine)
    assert take.emotion[:, EMOTIONS.index("happy")].min() == 1.0
    features = np.tile(np.array([SAD + SAD], np.float32), (20, 1))
    swapped = sounding(
        source="model", emotion="swapped", emotion_features=features, emotion_name="clip B"
    )
    take = evaluate(swapped, engine)
    assert take.emotion[:, EMOTIONS.index("sad")].min() == 1.0
    assert "clip B" in take.provenance.emotion
    assert take.provenance.training == "Made up."
    less = evaluate(replace(swapped, style=FaceStyle(emotion=0.0)), engine)
    assert np.abs(less.performance.weights - take.performance.weights).max() > 0.05


def test_what_cannot_be_carried_out_is_refused():
    with pytest.raises(UsageError, match="follow"):
        evaluate(FaceScript(), StackEngine())
    with pytest.raises(UnavailableError, match="model"):
        evaluate(script_of(source="model"), StackEngine())
    with pytest.raises(UnavailableError, match="feeling"):
        evaluate(sounding(emotion="detected"), hearing_engine(None))
    with pytest.raises(UsageError, match="track"):
        evaluate(script_of(owners=(Owner("jaw", "tracker"),)), StackEngine())
    far = PhoneTrack((Phone("P", 900_000.0, 900_001.0),))
    with pytest.raises(UsageError, match="frames can be made"):
        evaluate(script_of(phones=far), StackEngine())
    other = script_of(emotion="swapped", emotion_features=np.zeros((9, 5), np.float32))
    with pytest.raises(UsageError, match="5 columns"):
        evaluate(other, engine_of())
    with pytest.raises(UsageError, match="5 columns"):
        evaluate(replace(other, source="model"), engine_of())
    with pytest.raises(UsageError, match="no rows"):
        evaluate(
            script_of(emotion="swapped", emotion_features=np.zeros((0, 8), np.float32)),
            StackEngine(),
        )


def test_without_what_is_beside_speech_the_head_is_still():
    for source in ("rules", "model"):
        take = evaluate(script_of(source=source, nonverbal=False), engine_of())
        assert np.abs(take.performance.channel("headYaw")).max() == 0.0
        assert take.performance.channel("eyeLookOutLeft").max() == 0.0


def test_conflicts_say_who_moves_a_channel_and_who_does_not():
    tracker = np.zeros((700, 55), np.float32)
    tracker[::2, CHANNEL_INDEX["tongueOut"]] = 0.5
    script = script_of(
        tracker=tracker,
        owners=(Owner("brows", "rules"), Owner("browInnerUp", "tracker")),
        comp=(
            CompSpan("lids", 1.0, 2.0, 3),
            CompSpan("head", 1.0, 3.0, 4),
            CompSpan("head", 2.0, 4.0, 5),
        ),
        keys=(
            ChannelKeys("jawOpen", (1.0, 2.0), (0, 1)),
            ChannelKeys("jawOpen", (2.05, 3.0), (0, 1)),
        ),
    )
    found = {(c.channel, c.winner) for c in conflicts(script)}
    assert ("browInnerUp", "tracker") in found
    assert ("tongueOut", "rules") in found
    assert ("eyeBlinkLeft", "rules") in found
    assert ("headYaw", "take 5") in found
    assert ("jawOpen", "later keys") in found
    assert not any(c.channel == "browDownLeft" for c in conflicts(script))
    overlap = next(c for c in conflicts(script) if c.winner == "take 5")
    assert (overlap.start, overlap.end) == (2.0, 3.0)
    assert "take 4" in overlap.words
    assert conflicts(script_of()) == ()


def test_phones_are_edited():
    track = PhoneTrack(
        (Phone("M", 0.2, 0.3), Phone("AA", 0.3, 0.5, 1), Phone("S", 0.6, 0.7)),
        (Word("ma", 0.2, 0.5), Word("s", 0.6, 0.7)),
    )
    script = FaceScript(phones=track)
    moved = edits.set_phone_boundary(script, 0, 0.35).phones.phones
    assert (moved[0].end, moved[1].start) == (0.35, 0.35)
    far = edits.set_phone_boundary(script, 0, 9.0).phones.phones
    assert far[0].end == pytest.approx(0.49)
    free = edits.set_phone_boundary(script, 1, 9.0)
    assert free.phones.phones[1].end == 0.6
    assert free.phones.words[0].end == 0.6
    left = edits.set_phone_boundary(script, 2, 0.0, edge="start").phones.phones
    assert (left[1].end, left[2].start) == (0.5, 0.5)
    assert edits.set_phone_boundary(script, 0, -1.0, edge="start").phones.phones[0].start == 0.0
    assert edits.set_phone_symbol(script, 0, "B").phones.phones[0].symbol == "B"
    assert edits.set_phone_stress(script, 1, 2).phones.phones[1].stress == 2
    added = edits.add_phone(edits.remove_phone(script, 0), Phone("P", 0.1, 0.2))
    assert [p.symbol for p in added.phones.phones] == ["P", "AA", "S"]
    assert script.phones is track
    for wrong in (
        lambda: edits.set_phone_boundary(script, 7, 0.1),
        lambda: edits.set_phone_boundary(script, 0, 0.1, edge="middle"),
        lambda: edits.add_phone(script, Phone("P", 0.25, 0.28)),
        lambda: edits.set_phone_stress(script, 0, 5),
    ):
        with pytest.raises(UsageError):
            wrong()


def test_keys_takes_owners_and_limits_are_edited():
    script = edits.add_emotion_key(FaceScript(phones=speech()), 2.0, HAPPY)
    script = edits.add_emotion_key(script, 1.0, SAD)
    script = edits.add_emotion_key(script, 2.0, SAD)
    assert [k.time for k in script.emotion_keys] == [1.0, 2.0]
    assert script.emotion_keys[1].weights == SAD
    assert [k.time for k in edits.move_emotion_key(script, 0, 3.0).emotion_keys] == [2.0, 3.0]
    script = edits.set_channel_key(script, "jawOpen", 2.0, 0.5)
    script = edits.set_channel_key(script, "jawOpen", 1.0, 0.1)
    script = edits.set_channel_key(script, "jawOpen", 1.0, 0.2, mode="add")
    assert script.keys[0].times == (1.0, 2.0)
    assert len(script.keys) == 2
    moved = edits.move_channel_key(script, "jawOpen", 0, 3.0, 0.9)
    assert moved.keys[0] == ChannelKeys("jawOpen", (2.0, 3.0), (0.5, 0.9))
    alone = edits.move_channel_key(script, "jawOpen", 0, 3.0, 0.9, mode="add")
    assert alone.keys[1].times == (3.0,)
    gone = edits.remove_channel_key(edits.remove_channel_key(script, "jawOpen", 0), "jawOpen", 0)
    assert [c.mode for c in gone.keys] == ["add"]
    with pytest.raises(UsageError):
        edits.remove_channel_key(script, "jawOpen", 5)

    script = edits.comp_span(script, "brows", 1.0, 4.0, 1)
    script = edits.comp_span(script, "brows", 2.0, 3.0, 2)
    script = edits.comp_span(script, "head", 2.0, 3.0, 3)
    spans = [(s.region, s.start, s.end, s.seed) for s in script.comp]
    assert sorted(spans) == [
        ("brows", 1.0, 2.0, 1), ("brows", 2.0, 3.0, 2), ("brows", 3.0, 4.0, 1),
        ("head", 2.0, 3.0, 3),
    ]  # fmt: skip
    assert not [c for c in conflicts(replace(script, source="model")) if "take" in c.winner]

    owned = edits.own(edits.own(script, "browInnerUp", "tracker"), "brows", "rules")
    assert owned.owners == (Owner("brows", "rules"),)
    assert edits.disown(owned, "brows").owners == ()
    held = edits.set_limit(edits.set_limit(script, "jawOpen", 0, 0.5), "jawOpen", 0, 0.4)
    assert held.limits == (("jawOpen", 0.0, 0.4),)
    assert edits.remove_limit(held, "jawOpen").limits == ()
    take = evaluate(replace(held, source="rules", comp=()), StackEngine())
    assert take.performance.channel("jawOpen").max() <= np.float32(0.4)


def test_all_regions_are_known_to_owners():
    assert {region_of(name) for name in CHANNELS} == set(REGIONS)
    assert prosody_cues(None).peaks == ()
