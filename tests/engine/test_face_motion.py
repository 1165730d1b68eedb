"""The rules: coarticulation, closures, feelings, and everything a face does beside speaking."""

import math
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.corpus.flite import flite_speaks
from polyorama.face.corpus.voices import Voice
from polyorama.face.motion.articulation import (
    AHEAD,
    ARTICULATOR_OF,
    CARRY,
    PHONE_INDEX,
    POWER,
    REACH_S,
    STRENGTH,
    TARGET,
    TRACKS,
)
from polyorama.face.motion.closures import clamped, closures, contact
from polyorama.face.motion.dominance import REST, dominance_tracks
from polyorama.face.motion.manners import SPEAKERS
from polyorama.face.motion.nonverbal import life
from polyorama.face.motion.prosody_cues import prosody_cues
from polyorama.face.motion.segments import phrases, segments
from polyorama.face.motion.teacher import perform
from polyorama.face.speech.prosody import prosody
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS
from polyorama.scene.faces.phones import PHONES, Phone, PhoneTrack, viseme_of
from polyorama.scene.faces.script import FaceStyle

NEUTRAL = np.eye(8)[0]
_REGION_SLIDERS = {
    "jaw": "jawOpen", "lips": "mouthLowerDownLeft", "brows": "browInnerUp", "lids": "eyeWideLeft",
    "cheeks": "noseSneerLeft", "tongue": "tongueOut", "emotion": "eyeWideLeft",
    "head": "headYaw", "gaze": "eyeLookOutLeft", "blinks": "eyeBlinkLeft",
    "breath": "noseSneerLeft",
}  # fmt: skip
SPOKEN = [p for p in PHONES if p != "sil"]


def made_up_speech(seed: int, seconds: float = 20.0) -> PhoneTrack:
    """Phrases of any phones, 35 to 160 ms each, with pauses between."""
    rng = np.random.default_rng(seed)
    phones: list[Phone] = []
    time = 0.35
    while time < seconds - 1.0:
        for _ in range(rng.integers(6, 30)):
            lasts = rng.uniform(0.035, 0.16)
            if time + lasts > seconds:
                break
            stress = int(rng.choice([-1, 0, 1, 2]))
            phones.append(Phone(SPOKEN[rng.integers(len(SPOKEN))], time, time + lasts, stress))
            time += lasts
        time += rng.uniform(0.15, 0.9)
    return PhoneTrack(tuple(phones))


def said(text: str, each: float = 0.1, start: float = 0.5, stress: int = 1) -> PhoneTrack:
    """Phones one after another, each as long."""
    return PhoneTrack(
        tuple(
            Phone(symbol, start + each * i, start + each * (i + 1), stress)
            for i, symbol in enumerate(text.split())
        )
    )


def frames_of(phone: Phone, fps: float, total: int) -> list[int]:
    return [k for k in range(total) if phone.start <= k / fps < phone.end]


def test_tracks_equal_the_formula_carried_out_one_by_one():
    track = made_up_speech(3, 6.0)
    pulls = segments(track, 6.0, lambda start, end: 0.3 * math.sin(start))
    fps, pace = 30.0, 1.2
    fast = dominance_tracks(pulls, 11, 130, fps, pace)
    for row in range(0, 130, 7):
        time = (11 + row) / fps
        for column, name in enumerate(TRACKS):
            k = int(ARTICULATOR_OF[column])
            above, below = 0.0, REST
            for pull in pulls:
                phone = PHONE_INDEX[pull.symbol]
                tau, theta = 0.0, 0.0
                if time < pull.core_start:
                    tau, theta = pull.core_start - time, AHEAD[phone, k]
                elif time > pull.core_end:
                    tau, theta = time - pull.core_end, CARRY[phone, k]
                if tau >= REACH_S:
                    continue
                taper = (1.0 - (tau / REACH_S) ** 2) ** 2
                strength = STRENGTH[phone, k] * math.exp(-theta * (pace * tau) ** POWER) * taper
                gain = pull.jaw if name == "open" else 1.0
                above += strength * gain * TARGET[phone, column]
                below += strength
            assert fast[row, column] == pytest.approx(above / below, abs=1e-12)


@pytest.mark.parametrize("fps", [10.0, 24.0, 60.0, 100.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_every_bilabial_closes_and_every_labiodental_bites(fps, smoothing):
    track = made_up_speech(5)
    emotion = np.zeros(8)
    emotion[EMOTIONS.index("surprised")] = 1.0
    style = FaceStyle(jaw=1.6, lips=1.5, smoothing=smoothing, lip_offset=0.2)
    made = perform(track, None, emotion, style, SPEAKERS[2], seconds=20.0, seed=1, fps=fps)
    jaw, close = made.channel("jawOpen"), made.channel("mouthClose")
    checked = 0
    for phone in track.phones:
        frames = frames_of(phone, fps, len(made))
        if not frames:  # too short for such frames: the nearest
            frames = [round(0.5 * (phone.start + phone.end) * fps)]
        if viseme_of(phone.symbol) == "PP":
            best = [
                k for k in frames if close[k] == jaw[k] and made.channel("mouthPressLeft")[k] > 0.25
            ]
            assert best, phone
            assert min(made.channel("mouthLowerDownLeft")[k] for k in best) == 0.0
            checked += 1
        elif viseme_of(phone.symbol) == "FF" and fps >= 24.0:
            assert any(
                made.channel("mouthRollLower")[k] > 0.5
                and jaw[k] <= 0.11
                and made.channel("mouthLowerDownLeft")[k] < 0.02
                for k in frames
            ), phone
            checked += 1
    assert checked > 8


def test_a_closure_of_40_ms_survives_and_opens_again():
    track = PhoneTrack(
        (Phone("AA", 0.5, 0.62, 1), Phone("B", 0.62, 0.66), Phone("AA", 0.66, 0.8, 1))
    )
    made = perform(track, None, NEUTRAL, FaceStyle(smoothing=0.3), seconds=1.5, seed=0)
    gap = made.channel("jawOpen") - made.channel("mouthClose")
    assert gap[frames_of(track.phones[1], 60.0, 90)].min() == 0.0
    assert gap[round(0.56 * 60)] > 0.1
    assert gap[round(0.73 * 60)] > 0.1


def test_lips_open_between_closures_however_near():
    phones = []
    for place in range(6):
        at = 0.5 + 0.09 * place
        phones += [Phone("M", at, at + 0.06), Phone("AA", at + 0.06, at + 0.09, 1)]
    track = PhoneTrack(tuple(phones))
    made = perform(track, None, NEUTRAL, seconds=1.5, seed=0, fps=120.0)
    jaw, close = made.channel("jawOpen"), made.channel("mouthClose")
    for phone in track.phones[:-1]:
        frames = frames_of(phone, 120.0, len(made))
        if phone.symbol == "M":
            assert (jaw[frames] == close[frames]).any()
        else:
            assert (close[frames] < 0.1 * jaw[frames]).any()


def test_lips_stay_closed_from_one_bilabial_to_the_next():
    made = perform(said("AE M P AA"), None, NEUTRAL, seconds=1.5, seed=0)
    frames = slice(round(0.62 * 60), round(0.77 * 60))
    assert (made.channel("jawOpen") - made.channel("mouthClose"))[frames].max() == 0.0


def test_closures_are_put_into_motion_of_any_source():
    track = made_up_speech(8, 10.0)
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.2, 1.0, (600, 55)).astype(np.float32)
    fixed = clamped(weights, track, 60.0)
    part = clamped(weights[100:200], track, 60.0, first=100)
    np.testing.assert_array_equal(part, fixed[100:200])
    jaw, close = fixed[:, CHANNEL_INDEX["jawOpen"]], fixed[:, CHANNEL_INDEX["mouthClose"]]
    assert (close <= jaw).all()
    for phone in track.phones:
        frames = frames_of(phone, 60.0, 600)
        if viseme_of(phone.symbol) == "PP":
            assert (jaw[frames] == close[frames]).any()
        elif phone.symbol == "AA":
            assert (close[frames] <= 0.5 * jaw[frames]).any()


def test_contact_is_the_same_whichever_frames_are_asked_for():
    found = closures(made_up_speech(2))
    whole = np.array(contact(found, 0, 1200, 60.0))
    np.testing.assert_array_equal(np.array(contact(found, 333, 100, 60.0)), whole[:, 333:433])


def middle(made, track: PhoneTrack, index: int, channel: str) -> float:
    phone = track.phones[index]
    return float(made.channel(channel)[round(0.5 * (phone.start + phone.end) * made.fps)])


def test_phones_of_the_tongue_leave_the_lips_to_their_neighbours():
    rounded, spread = said("UW N UW"), said("IY N IY")
    a = perform(rounded, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False)
    b = perform(spread, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False)
    assert middle(a, rounded, 1, "mouthPucker") > 0.9 * middle(a, rounded, 0, "mouthPucker")
    assert middle(b, spread, 1, "mouthPucker") < 0.01
    assert middle(b, spread, 1, "mouthStretchLeft") > 0.9 * middle(b, spread, 0, "mouthStretchLeft")


def test_sibilants_narrow_the_jaw_and_stress_opens_it():
    track = said("AA S AA")
    made = perform(track, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False)
    assert middle(made, track, 1, "jawOpen") < 0.4 * middle(made, track, 0, "jawOpen")
    weak = said("AA S AA", stress=0)
    less = perform(weak, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False)
    assert middle(less, weak, 0, "jawOpen") < 0.8 * middle(made, track, 0, "jawOpen")


def test_rounding_starts_before_its_phone_earlier_than_the_jaw_of_a_vowel():
    track = said("T S T UW")
    made = perform(track, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False)
    pucker, start = made.channel("mouthPucker"), round(track.phones[3].start * 60)
    assert pucker[start - 3] > 0.3 * pucker.max()
    open_track = said("T S T AA")
    jaw = perform(open_track, None, NEUTRAL, seconds=1.5, seed=0, nonverbal=False).channel(
        "jawOpen"
    )
    assert jaw[start - 3] / jaw.max() < pucker[start - 3] / pucker.max()


def test_the_mouth_moves_from_120_ms_before_to_150_ms_after_speech():
    track = said("AA", each=0.2, start=1.0)
    made = perform(track, None, NEUTRAL, seconds=2.5, seed=0, nonverbal=False)
    jaw = made.channel("jawOpen")
    assert jaw[: round(0.85 * 60)].max() < 0.02 * jaw.max()
    assert jaw[round(0.97 * 60)] > 0.2 * jaw.max()
    assert jaw[round(1.25 * 60)] > 0.2 * jaw.max()
    assert jaw[round(1.40 * 60) :].max() < 0.04 * jaw.max()


def test_the_same_seed_gives_the_same_and_another_moves_the_lips_alike():
    track = made_up_speech(1)
    one, same, other = (perform(track, None, NEUTRAL, seconds=20.0, seed=s) for s in (4, 4, 5))
    np.testing.assert_array_equal(one.weights, same.weights)
    assert np.abs(one.weights - other.weights).max() > 0.2
    jaw = np.corrcoef(one.channel("jawOpen"), other.channel("jawOpen"))[0, 1]
    assert jaw > 0.99


def test_a_minute_of_frames_is_that_of_its_parts():
    """Frames are made in blocks of 30 s; a border between blocks shows nowhere."""
    track = made_up_speech(6, 40.0)
    happy = np.eye(8)[2]
    style = FaceStyle(smoothing=0.1)
    long = perform(track, None, happy, style, seconds=40.0, seed=2)
    step = np.abs(np.diff(long.weights[1780:1820], axis=0)).max()
    assert step < 0.5
    assert np.isfinite(long.weights).all()
    assert long.weights[:, :52].min() >= 0.0
    assert long.weights[:, :52].max() <= 1.0


def test_unusable_requests_are_refused():
    track = said("AA")
    for emotion in (np.zeros(5), np.zeros((4, 3)), np.zeros((0, 8)), lambda times: times):
        with pytest.raises(UsageError, match="emotion"):
            perform(track, None, emotion, seconds=1.0, seed=0)
    with pytest.raises(UsageError, match="last"):
        perform(track, None, NEUTRAL, seconds=0.0, seed=0)


def test_silence_is_still_but_alive():
    made = perform(PhoneTrack(), None, NEUTRAL, seconds=30.0, seed=3)
    assert made.channel("jawOpen").max() == 0.0
    assert made.channel("eyeBlinkLeft").max() > 0.9
    assert np.ptp(made.channel("headYaw")) > 0.01


def prosody_with_tops(times, seconds=20.0):
    rows = np.arange(round(seconds * 100)) / 100.0
    f0 = 120.0 * 2.0 ** sum(0.6 * np.exp(-(((rows - t) / 0.07) ** 2)) for t in times)
    return SimpleNamespace(
        f0=f0, voicing=np.ones_like(f0), energy=np.full_like(f0, -20.0), fps=100.0
    )


def test_brows_and_head_mark_tops_of_the_melody():
    tops = (3.0, 6.5, 11.0, 15.2)
    style = FaceStyle(blinks=0.0, gaze=0.0)
    raised, nodded = [], []
    for seed in range(8):
        with_tops, flat = (
            perform(PhoneTrack(), p, NEUTRAL, style, seconds=20.0, seed=seed)
            for p in (prosody_with_tops(tops), None)
        )
        change = with_tops.weights - flat.weights
        frames = [round(t * 60) for t in tops]
        raised.append(change[frames, CHANNEL_INDEX["browOuterUpLeft"]].mean())
        nodded.append(change[frames, CHANNEL_INDEX["headPitch"]].max())
        far = np.ones(1200, bool)
        for frame in frames:
            far[frame - 24 : frame + 28] = False
        assert np.abs(change[far]).max() < 1e-6
    assert np.mean(raised) > 0.05
    assert max(nodded) < 0.0


def test_blinks_come_fifteen_times_a_minute_and_gather_at_ends_of_phrases():
    """150 in 10 min; the deviation of the mean of 12 seeds is about 2: bounds of 5 of these."""
    track = made_up_speech(9, 600.0)
    ends = np.array([p.end for p in phrases(track)])
    counts, near, anywhere = [], [], []
    for seed in range(12):
        happens = life(track, prosody_cues(None), FaceStyle(), SPEAKERS[0], 600.0, seed)
        times = np.array([blink.time for blink in happens.blinks if 0.0 <= blink.time < 600.0])
        counts.append(len(times))
        assert np.diff(times).min() > 0.0
        near.append((np.abs(times[:, None] - ends - 0.02).min(axis=1) < 0.1).mean())
        chance = np.random.default_rng(seed).uniform(0.0, 600.0, 4000)
        anywhere.append((np.abs(chance[:, None] - ends - 0.02).min(axis=1) < 0.1).mean())
    assert abs(np.mean(counts) - 150.0) < 10.0
    assert np.mean(near) > 2.0 * np.mean(anywhere)


def test_eyes_counter_the_head_and_lids_follow_them_down():
    made = perform(PhoneTrack(), None, NEUTRAL, FaceStyle(blinks=0.0), seconds=60.0, seed=1)
    down = made.channel("eyeLookDownLeft")
    assert np.corrcoef(down, made.channel("eyeBlinkLeft"))[0, 1] > 0.9
    still = perform(
        PhoneTrack(), None, NEUTRAL, FaceStyle(gaze=0.0), SPEAKERS[1], seconds=60.0, seed=1
    )
    to_left = still.channel("eyeLookOutLeft") - still.channel("eyeLookInLeft")
    assert np.corrcoef(to_left, still.channel("headYaw"))[0, 1] < -0.9


def test_a_breath_is_taken_in_a_pause():
    track = said("AA", start=2.0)
    with_breath, without = (
        perform(track, None, NEUTRAL, FaceStyle(breath=b), seconds=3.0, seed=0) for b in (1.0, 0.0)
    )
    more = with_breath.channel("noseSneerLeft") - without.channel("noseSneerLeft")
    assert 1.4 < more.argmax() / 60.0 < 2.0
    assert more[: 60 + 20].max() == 0.0


@pytest.mark.parametrize("name", sorted(_REGION_SLIDERS))
def test_each_slider_of_the_style_does_what_it_says(name):
    track = made_up_speech(4, 8.0)
    channel = _REGION_SLIDERS[name]
    feel = np.zeros(8)
    feel[EMOTIONS.index("fearful")], feel[EMOTIONS.index("disgust")] = 0.5, 0.4
    sums = []
    for value in (0.0, 0.5, 1.0):
        still = {"head": 0.0} if name == "gaze" else {}  # eyes counter the head
        style = FaceStyle(**{**still, name: value})
        made = perform(track, None, feel, style, seconds=8.0, seed=1)
        sums.append(float(np.abs(made.channel(channel)).sum()))
    assert sums[0] < sums[1] < sums[2]


def nearest_centroids(seeds, manners, levels=(0.6, 1.0)):
    """Features of each emotion while speaking: mean and spread of every channel."""
    features, labels = [], []
    for label in range(8):
        for seed in seeds:
            for manner in manners:
                for level in levels:
                    emotion = np.eye(8)[label] * level
                    made = perform(
                        made_up_speech(seed, 4.0), None, emotion, manner=manner, seconds=4.0,
                        seed=seed, fps=25.0,
                    )  # fmt: skip
                    features.append(np.r_[made.weights.mean(0), made.weights.std(0)])
                    labels.append(label)
    return np.array(features), np.array(labels)


def test_the_eight_emotions_are_told_apart_on_new_speech_and_new_people():
    """Nearest centroid; its 64 tests would be right 8 times by chance, and 24 times with
    probability under 1e-6."""
    known, labels = nearest_centroids((1, 2), SPEAKERS[:4])
    unknown, truth = nearest_centroids((11, 12), SPEAKERS[4:6])
    scale = known.std(axis=0) + 0.02
    centres = np.array([known[labels == k].mean(axis=0) for k in range(8)])
    guesses = (((unknown[:, None] - centres) / scale) ** 2).sum(axis=2).argmin(axis=1)
    assert len(truth) == 64
    assert (guesses == truth).mean() >= 0.85


def test_speakers_differ_in_the_same_words():
    track = made_up_speech(4, 8.0)
    jaws = [
        perform(track, None, NEUTRAL, manner=m, seconds=8.0, seed=1).channel("jawOpen").mean()
        for m in SPEAKERS
    ]
    assert len(SPEAKERS) == 8
    assert np.ptp(jaws) > 0.25 * np.mean(jaws)
    assert np.diff(np.sort(jaws)).min() > 0.0


def test_flat_voices_have_tops_too():
    rows = np.arange(2000) / 100.0
    for span in (1.0, 9.0):
        f0 = 150.0 * 2.0 ** (span / 12.0 * np.exp(-(((rows - 8.0) / 0.1) ** 2)))
        f0 *= 2.0 ** (span / 60.0 * np.sin(rows))
        voice = SimpleNamespace(f0=f0, voicing=f0 > 0, energy=np.full_like(f0, -20.0), fps=100.0)
        assert [round(p.time, 1) for p in prosody_cues(voice).peaks] == [8.0]
    silent = SimpleNamespace(
        f0=np.zeros(50), voicing=np.zeros(50), energy=np.full(50, -100.0), fps=100.0
    )
    assert prosody_cues(silent).peaks == ()
    assert prosody_cues(silent).loud(0.0, 9.0) == 0.0


def test_loud_vowels_open_the_jaw_more():
    track = said("T AA T AA T", each=0.15)
    energy = np.full(200, -30.0)
    energy[round(0.9 * 100) : round(1.15 * 100)] = -18.0
    voice = SimpleNamespace(f0=np.full(200, 120.0), voicing=np.ones(200), energy=energy, fps=100.0)
    made = perform(track, voice, NEUTRAL, seconds=2.0, seed=0, nonverbal=False)
    assert middle(made, track, 3, "jawOpen") > 1.1 * middle(made, track, 1, "jawOpen")


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_lips_meet_in_speech_of_a_synthesiser():
    spoken = flite_speaks(
        "My puppet believes in pumpkin pie, but very few of you have tried them.",
        Voice("flite", "slt"),
    )
    track = spoken.track()
    made = perform(track, prosody(spoken.samples), np.eye(8)[2], seconds=spoken.seconds, seed=0)
    jaw, close = made.channel("jawOpen"), made.channel("mouthClose")
    met = {"PP": 0, "FF": 0}
    for phone in track.phones:
        frames = frames_of(phone, 60.0, len(made))
        kind = viseme_of(phone.symbol)
        if kind == "PP":
            assert (jaw[frames] == close[frames]).any()
        elif kind == "FF":
            assert (made.channel("mouthRollLower")[frames] > 0.6).any()
        elif phone.symbol in ("AY", "AE", "AA"):
            assert (jaw - close)[frames].max() > 0.12
        met[kind] = met.get(kind, 0) + 1
    assert met["PP"] >= 8
    assert met["FF"] >= 4
