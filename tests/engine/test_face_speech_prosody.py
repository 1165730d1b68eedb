"""Pitch, voice quality and loudness against signals whose values are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.speech.cycle_kernels import find_cycles
from polyorama.face.speech.descriptors import DESCRIPTORS, descriptors
from polyorama.face.speech.prosody import QUIETEST, RATE, _best_path, prosody


def voice(pitch, *, amplitudes=None, level=0.1):
    """A sum of harmonics with a pitch for each sample."""
    phase = np.cumsum(pitch) / RATE
    amplitudes = amplitudes or {k: 1 / k for k in range(1, 15)}
    sound = sum(a * np.sin(2 * np.pi * k * phase) for k, a in amplitudes.items())
    return level * sound


def semitones_off(found, true):
    return 12 * np.abs(np.log2(np.maximum(found, 1.0) / true))


def test_pitch_follows_a_glide():
    time = np.arange(3 * RATE) / RATE
    pitch = 140 * 2 ** (0.9 * np.sin(2 * np.pi * 0.5 * time))  # 75 to 261 Hz
    found = prosody(voice(pitch))
    inside = slice(3, -3)
    assert len(found) == 300
    assert semitones_off(found.f0, pitch[np.arange(300) * 160])[inside].max() < 0.15


@pytest.mark.parametrize("pitch", [80.0, 123.0, 220.0, 333.0, 480.0])
@pytest.mark.parametrize(
    "amplitudes",
    [
        {1: 1.0},
        {1: 0.2, 2: 1.0, 3: 0.3},  # a strong second harmonic asks for the octave above
        {2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0},  # no fundamental at all, as on the phone
        dict.fromkeys(range(1, 13), 1.0),  # flat: every multiple of the period fits
    ],
)
def test_pitch_falls_into_no_octave_trap(pitch, amplitudes):
    found = prosody(voice(np.full(RATE // 2, pitch), amplitudes=amplitudes, level=0.05))
    assert semitones_off(found.f0, pitch)[4:-4].max() < 0.3
    assert found.voicing[4:-4].min() > 0.9


@pytest.mark.parametrize("decibels", [5.0, 15.0])
def test_the_ratio_of_harmonics_to_noise_is_that_of_the_mix(decibels):
    rng = np.random.default_rng(7)
    tone = voice(np.full(4 * RATE, 150.0))
    noise = rng.normal(0, 1, len(tone))
    noise *= tone.std() / noise.std() * 10 ** (-decibels / 20)
    found = prosody(tone + noise)
    assert (found.f0 > 0).mean() > 0.95
    assert np.mean(found.hnr[found.f0 > 0]) == pytest.approx(decibels, abs=1.5)


def test_noise_silence_and_clicks_have_no_pitch():
    rng = np.random.default_rng(3)
    assert np.mean(prosody(rng.normal(0, 0.1, 5 * RATE)).f0 > 0) < 0.02
    silent = prosody(np.zeros(RATE))
    for name in ("f0", "voicing", "tilt", "jitter", "shimmer", "hnr", "flux", "centroid"):
        assert not np.any(getattr(silent, name)), name
    assert np.all(silent.energy == np.float32(QUIETEST))
    clicks = np.zeros(RATE)
    clicks[::5000] = 0.9
    assert not np.any(prosody(clicks).f0)


def test_a_click_does_not_silence_the_voice():
    sound = voice(np.full(2 * RATE, 120.0), level=0.01)
    sound[RATE] = 1.0
    assert np.mean(prosody(sound).f0 > 0) > 0.9


def pulses(periods, sizes):
    """Damped pulses at given distances (samples, whole or not)."""
    marks = 200 + np.cumsum(periods)
    sound = np.zeros(int(marks[-1]) + 200)
    for mark, size in zip(marks, sizes, strict=True):
        near = np.arange(int(mark) - 50, int(mark) + 51)
        sound[near] += size * np.exp(-0.5 * ((near - mark) / 10) ** 2) * np.cos(0.4 * (near - mark))
    return 0.3 * sound


def test_jitter_and_shimmer_are_those_of_the_pulses():
    rng = np.random.default_rng(5)
    periods = 107.0 * (1 + 0.01 * rng.choice((-1, 1), 600))
    sizes = 1 + 0.05 * rng.choice((-1, 1), 600)
    found = prosody(pulses(periods, sizes))
    voiced = found.f0 > 0
    true_jitter = np.mean(np.abs(np.diff(periods))) / periods.mean()
    true_shimmer = np.mean(np.abs(np.diff(sizes))) / sizes.mean()
    assert np.mean(found.jitter[voiced]) == pytest.approx(true_jitter, rel=0.1)
    assert np.mean(found.shimmer[voiced]) == pytest.approx(true_shimmer, rel=0.15)
    steady = prosody(pulses(np.full(600, 107.0), np.ones(600)))
    assert np.median(steady.jitter) < 0.001
    assert np.median(steady.shimmer) < 0.005


def test_cycles_are_those_of_a_slow_search():
    rng = np.random.default_rng(11)
    sound = pulses(107.0 * (1 + 0.02 * rng.normal(size=60)), 1 + 0.1 * rng.normal(size=60))
    sound = (sound + rng.normal(0, 0.01, len(sound))).astype(np.float32)
    f0 = np.full(len(sound) // 160 + 1, RATE / 107.0, np.float32)
    times, periods, sizes = np.zeros((3, 200))
    runs = np.zeros(200, np.int64)
    count = find_cycles(sound, f0, 16000.0, 100.0, times, periods, sizes, runs)
    assert count > 50
    wide = sound.astype(np.float64)
    length = RATE / float(f0[0])
    half = int(0.5 * length)
    for at, period, size in zip(times[:count], periods, sizes, strict=False):
        middle = int(at + 0.5)
        here = wide[middle - half : middle + half + 1]
        lags = np.arange(int(0.8 * length) - 1, int(1.25 * length) + 3)
        alike = np.array(
            [
                here @ there / np.sqrt((here @ here) * (there @ there))
                for there in (wide[middle - half + k : middle + half + 1 + k] for k in lags)
            ]
        )
        best = 1 + alike[1:-1].argmax()
        left, top, right = alike[best - 1 : best + 2]
        shift = 0.5 * (right - left) / (2 * top - left - right)
        assert period == pytest.approx(lags[best] + np.clip(shift, -0.5, 0.5), abs=1e-3)
        assert size == pytest.approx(np.ptp(here), rel=1e-6)


def test_the_best_path_is_that_of_all_paths():
    rng = np.random.default_rng(2)
    strengths = rng.uniform(0, 1, (6, 4))
    octaves = rng.uniform(-8, -6, (6, 3))

    def worth(path):
        total = sum(strengths[t, s] for t, s in enumerate(path))
        for t, (a, b) in enumerate(itertools.pairwise(path), start=1):
            if (a > 0) != (b > 0):
                total -= 0.14
            elif a > 0:
                total -= 0.35 * abs(octaves[t - 1, a - 1] - octaves[t, b - 1])
        return total

    best = max(itertools.product(range(4), repeat=6), key=worth)
    assert tuple(_best_path(strengths, octaves, 1.0)) == best


def test_level_tilt_and_centroid():
    time = np.arange(RATE) / RATE
    assert prosody(0.5 * np.sin(2 * np.pi * 1000 * time)).energy[50] == pytest.approx(
        20 * np.log10(0.5 / np.sqrt(2)), abs=0.1
    )
    assert prosody(0.5 * np.sin(2 * np.pi * 1000 * time)).centroid[50] == pytest.approx(1000, abs=5)
    # White noise is level; its running sum falls by 6 dB per octave.
    noise = np.random.default_rng(1).normal(0, 0.01, 20 * RATE)
    brown = np.cumsum(noise)
    brown -= np.convolve(brown, np.ones(2001) / 2001, "same")
    assert prosody(noise).tilt.mean() == pytest.approx(0, abs=0.3)
    assert prosody(brown * 0.1).tilt[20:-20].mean() == pytest.approx(-6, abs=0.6)


def test_flux_shows_where_the_sound_changes():
    time = np.arange(RATE) / RATE
    sound = np.where(time < 0.5, np.sin(2 * np.pi * 300 * time), np.sin(2 * np.pi * 2500 * time))
    flux = prosody(0.2 * sound).flux
    assert abs(int(flux[5:-5].argmax()) + 5 - 50) <= 2
    assert flux.max() <= 1.0


@pytest.mark.parametrize("samples", [0, 1, 100, 399, 5000])
@pytest.mark.parametrize("fps", [25.0, 60.0, 100.0])
def test_rows_cover_the_sound_however_short(samples, fps):
    found = prosody(np.full(samples, 0.1), fps)
    assert len(found) == int(np.ceil(samples * fps / RATE))
    assert np.isfinite(found.table).all()
    assert found.table.shape == (len(found), 9)
    assert np.isfinite(descriptors(found)).all()


def test_blocks_leave_no_seams():
    rng = np.random.default_rng(4)
    sound = voice(np.full(13 * RATE, 140.0)) + rng.normal(0, 0.01, 13 * RATE)
    whole, part = prosody(sound), prosody(sound[10 * RATE :])
    # The block ends at row 1024, so row 24 of the part; a second from its start all is as it was.
    np.testing.assert_allclose(whole.table[1010:1200], part.table[10:200], atol=2e-3, rtol=2e-3)


def test_what_is_no_speech_is_refused():
    with pytest.raises(UsageError, match="one row"):
        prosody(np.zeros((10, 2)))
    with pytest.raises(UsageError, match="finite"):
        prosody(np.array([0.0, np.nan]))
    with pytest.raises(UsageError, match="rows in a second"):
        prosody(np.zeros(10), 1000.0)


def test_descriptors_tell_voices_apart():
    column = {name: k for k, name in enumerate(DESCRIPTORS)}
    time = np.arange(2 * RATE) / RATE
    low = descriptors(prosody(voice(np.full(2 * RATE, 100.0))))
    lively = descriptors(prosody(voice(200 * 2 ** (0.4 * np.sin(2 * np.pi * 2 * time)))))
    assert low.shape == (len(DESCRIPTORS),)
    mean, spread = "pitch, semitones mean", "pitch, semitones deviation"
    assert lively[column[mean]] - low[column[mean]] == pytest.approx(12, abs=0.2)
    assert low[column[spread]] < 0.05
    assert lively[column[spread]] == pytest.approx(12 * 0.4 / np.sqrt(2), rel=0.05)
    # Its slope is up half the time: 12 * 0.4 * 4 * 2 semitones in a second on average.
    assert lively[column["pitch, semitones rising slope, per s"]] == pytest.approx(38.4, rel=0.1)
    syllables = voice(np.full(2 * RATE, 120.0)) * (0.5 - 0.5 * np.cos(2 * np.pi * 4 * time)) ** 2
    found = descriptors(prosody(syllables))
    assert found[column["loudness peaks per s"]] == pytest.approx(4, abs=0.51)
    assert not descriptors(prosody(np.zeros(RATE)))[column[mean]]
