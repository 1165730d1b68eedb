"""The rules live: causal, bounded, closed where lips close."""

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.motion.live_rules import LiveFace
from polyorama.face.motion.smoothing import LiveSmoother
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS
from polyorama.scene.faces.phones import PHONES
from polyorama.scene.faces.script import FaceStyle

JAW, CLOSE = CHANNEL_INDEX["jawOpen"], CHANNEL_INDEX["mouthClose"]


def heard(symbol: str, sure: float = 0.8) -> np.ndarray:
    posteriors = np.full(40, (1.0 - sure) / 39.0)
    posteriors[PHONES.index(symbol)] = sure
    return posteriors


def run(face: LiveFace, text: str, each: float = 0.1, fps: float = 60.0, start: float = 0.0):
    symbols = text.split()
    rows = []
    for k in range(round(len(symbols) * each * fps)):
        symbol = symbols[min(int(k / fps / each), len(symbols) - 1)]
        energy = -60.0 if symbol == "sil" else -20.0
        rows.append(face.step(heard(symbol), 0.0, energy, start + k / fps))
    return np.array(rows)


def test_lips_close_for_bilabials_and_open_for_vowels():
    rows = run(LiveFace(style=FaceStyle(smoothing=0.2)), "sil sil AA M AA B AA P AA sil sil")
    gap = rows[:, JAW] - rows[:, CLOSE]
    for place, open_ in ((2, True), (3, False), (4, True), (5, False), (6, True), (7, False)):
        part = gap[place * 6 : place * 6 + 6]
        assert (part.max() > 0.05) if open_ else (part.min() == 0.0), place


def test_a_closure_of_its_own_counts_and_lasts():
    face = LiveFace()
    run(face, "AA AA AA")
    rows = np.array(
        [face.step(heard("AA"), 0.9 if k < 3 else 0.0, -20.0, 0.3 + k / 60) for k in range(18)]
    )
    shut = (rows[:, JAW] == rows[:, CLOSE]) & (rows[:, JAW] > 0.0)
    assert 2 <= shut.sum() <= 8
    assert rows[-1, JAW] - rows[-1, CLOSE] > 0.1


def test_labiodentals_bite():
    rows = run(LiveFace(), "AA F AA")
    assert rows[6:12, CHANNEL_INDEX["mouthRollLower"]].max() > 0.5
    assert rows[6:12, JAW].min() < 0.2


def test_the_future_changes_nothing():
    one, other = LiveFace(seed=1), LiveFace(seed=1)
    a = run(one, "sil AA M UW S IY AA sil")
    b = run(other, "sil AA M UW K P IY F")
    np.testing.assert_array_equal(a[:24], b[:24])
    assert np.abs(a[24:] - b[24:]).max() > 0.1


def test_a_tongue_phone_leaves_the_lips():
    face = LiveFace(style=FaceStyle(blinks=0.0))
    before = run(face, "UW UW UW")[-1, CHANNEL_INDEX["mouthPucker"]]
    rows = [face.step(heard("N", 0.97), 0.0, -20.0, 0.3 + k / 60) for k in range(5)]
    assert rows[-1][CHANNEL_INDEX["mouthPucker"]] > 0.8 * before


def test_it_goes_on_blinking_and_stays_small():
    """15 blinks are expected in 1 min, with a deviation of about 2.5: bounds of 4 of these."""
    face = LiveFace(seed=1)
    rows = np.array([face.step(heard("sil"), 0.0, -70.0, 1e5 + k / 10.0) for k in range(600)])
    assert len(face._life._blinks) <= 1
    assert len(face._life._beats) <= 2
    shut = rows[:, CHANNEL_INDEX["eyeBlinkLeft"]] > 0.3
    assert 6 <= (np.diff(shut.astype(int)) > 0).sum() <= 25


def test_an_emotion_grows_and_another_takes_over():
    face = LiveFace(emotion=np.eye(8)[EMOTIONS.index("neutral")], style=FaceStyle(blinks=0.0))
    run(face, "sil sil")
    face.feel(np.eye(8)[EMOTIONS.index("happy")])
    rows = run(face, "sil " * 12, start=0.2)
    smile = rows[:, CHANNEL_INDEX["mouthSmileLeft"]]
    assert smile[1] < 0.2 < 0.6 < smile[-1]
    assert np.diff(smile).max() < 0.15


def test_odd_times_do_no_harm():
    face = LiveFace()
    for time in (0.0, 0.0, -5.0, 1e6, 1e6 + 0.01, 3.0, 3.02):
        row = face.step(heard("AA"), 0.0, float("nan"), time)
        assert np.isfinite(row).all()
        assert row[:52].min() >= 0.0
        assert row[:52].max() <= 1.0
    with pytest.raises(UsageError, match="40"):
        face.step(np.zeros(39), 0.0, 0.0, 4.0)
    with pytest.raises(UsageError, match="40"):
        face.step(np.full(40, np.nan), 0.0, 0.0, 4.0)
    with pytest.raises(UsageError, match="8"):
        face.feel(np.zeros(3))


def test_the_one_euro_filter_quietens_noise_and_follows_jumps():
    rng = np.random.default_rng(0)
    smoother = LiveSmoother(0.2)
    still = np.array(
        [smoother.step(np.full(55, 0.5) + rng.normal(0, 0.01, 55), 1 / 60) for _ in range(300)]
    )
    brow = CHANNEL_INDEX["browInnerUp"]
    assert still[100:, brow].std() < 0.005
    jump = np.array([smoother.step(np.ones(55), 1 / 60) for _ in range(30)])
    assert jump[14, brow] > 0.9
    smoother.reset()
    np.testing.assert_array_equal(smoother.step(np.zeros(55), 1 / 60), np.zeros(55))


def test_it_can_speak_and_do_nothing_beside():
    rows = run(LiveFace(nonverbal=False), "sil AA M AA " * 8)
    assert np.abs(rows[:, 52:]).max() == 0.0
    assert rows[:, CHANNEL_INDEX["eyeBlinkLeft"]].max() == 0.0
    assert rows[:, JAW].max() > 0.2
