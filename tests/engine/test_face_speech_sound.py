"""Sound files as speech: bounded, resampled, and described."""

from __future__ import annotations

import itertools
import tracemalloc
import wave

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.speech import sound as sound_module
from polyorama.face.speech.pauses import pieces, speech_spans
from polyorama.face.speech.sound import (
    describe_sound,
    load_sound,
    load_speech,
    speech_samples,
)
from polyorama.scene.contents import Audio

RATE = 16000


def write_wave(path, samples, rate):
    samples = np.atleast_2d(np.asarray(samples).T).T
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return path


def syllables(seconds, rate=RATE, level=0.2, seed=0):
    """Something like a voice: a moving pitch with formants, in syllables, with hiss between."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(seconds * rate)) / rate
    pitch = 130 * 2 ** (0.3 * np.sin(2 * np.pi * 0.7 * time) + 0.1 * np.sin(2 * np.pi * 3.1 * time))
    phase = np.cumsum(pitch) / rate
    tone = sum(np.sin(2 * np.pi * k * phase) / k for k in range(1, int(0.45 * rate / 180)))
    gate = np.clip(np.sin(2 * np.pi * 3.5 * time) * 3, 0, 1)
    hiss = rng.normal(0, 0.3, len(time)) * np.clip(-np.sin(2 * np.pi * 3.5 * time) * 3 - 2, 0, 1)
    return level * (0.5 * tone * gate + hiss) + rng.normal(0, 1e-4, len(time))


def test_any_rate_and_channels_become_16_khz_mono(tmp_path):
    for rate in (8000, 22050, 44100, 48000):
        time = np.arange(2 * rate) / rate
        tone = np.sin(2 * np.pi * 440 * time)
        path = write_wave(tmp_path / f"{rate}.wav", np.stack([0.5 * tone, 0.3 * tone], 1), rate)
        speech = load_speech(path)
        assert speech.dtype == np.float32
        assert len(speech) == pytest.approx(2 * RATE, abs=80)
        # In time to a fraction of a sample, which a shift of the tone's phase would show.
        middle = np.arange(4000, 28000)
        true = 0.4 * np.sin(2 * np.pi * 440 * middle / RATE)
        np.testing.assert_allclose(speech[middle], true, atol=0.01)
        again = speech_samples(load_sound(path))
        np.testing.assert_allclose(again[middle], true, atol=0.01)
        assert abs(len(again) - len(speech)) <= 40


def test_long_recordings_come_small_and_longer_ones_not_at_all(tmp_path, monkeypatch):
    path = write_wave(tmp_path / "a.wav", np.zeros((48000 * 20, 2)), 48000)
    assert load_sound(path).rate == 48000
    monkeypatch.setattr(sound_module, "FULL_RATE_SECONDS", 10.0)
    small = load_sound(path)
    assert small.samples.shape == (20 * RATE, 1)
    assert small.rate == RATE
    tracemalloc.start()
    load_speech(path)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 3 * 20 * RATE * 4  # the result and little else; 48 kHz stereo alone is six times
    monkeypatch.setattr(sound_module, "LONGEST", 10.0)
    for load in (load_speech, load_sound):
        with pytest.raises(FileFormatError, match="longer than"):
            load(path)
    monkeypatch.setattr(sound_module, "FULL_RATE_SECONDS", 100.0)
    with pytest.raises(FileFormatError, match="longer than"):
        load_sound(path)


def test_what_is_no_sound_is_refused(tmp_path):
    empty = tmp_path / "empty.wav"
    empty.touch()
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"RIFF" + bytes(range(256)) * 8)
    hollow = write_wave(tmp_path / "hollow.wav", np.zeros((0, 1)), RATE)
    for path in (empty, broken, hollow, tmp_path / "none.wav", tmp_path):
        for load in (load_speech, load_sound):
            with pytest.raises(FileFormatError, match=path.name):
                load(path)


def test_samples_that_are_no_numbers_are_refused(tmp_path):
    body = np.array([0.0, np.nan, 0.5] * 1000, "<f4").tobytes()
    header = (
        b"RIFF" + (36 + len(body)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
        + (3).to_bytes(2, "little") + (1).to_bytes(2, "little") + RATE.to_bytes(4, "little")
        + (RATE * 4).to_bytes(4, "little") + (4).to_bytes(2, "little") + (32).to_bytes(2, "little")
        + b"data" + len(body).to_bytes(4, "little")
    )  # fmt: skip
    path = tmp_path / "nan.wav"
    path.write_bytes(header + body)
    for load in (load_speech, load_sound):
        with pytest.raises(FileFormatError, match="no numbers"):
            load(path)
    with pytest.raises(UsageError, match="finite"):
        describe_sound(np.array([0.0, np.inf]))


def test_a_sound_without_samples_is_none():
    assert len(speech_samples(Audio(samples=np.zeros((0, 2), np.float32), rate=44100))) == 0
    report = describe_sound(np.zeros(0))
    assert report.silent
    assert report.seconds == 0


def test_a_clean_voice_has_no_troubles():
    report = describe_sound(syllables(8))
    assert report.troubles == ()
    assert not report.silent
    assert 0.3 < report.voiced <= 1


def phone(sound):
    spectrum = np.fft.rfft(sound)
    spectrum[int(3400 / 8000 * (len(spectrum) - 1)) :] = 0
    return np.fft.irfft(spectrum, len(sound))


def music():
    rng = np.random.default_rng(1)
    time = np.arange(RATE // 2) / RATE
    notes = [
        sum(
            np.sin(2 * np.pi * k * 220 * 2 ** ((root + step) / 12) * time) / k
            for step in (0, 4, 7)
            for k in range(1, 8)
        )
        * np.exp(-2 * time)
        for root in rng.integers(0, 12, 16)
    ]
    return 0.05 * np.concatenate(notes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: np.zeros(5 * RATE), "is silent"),
        (lambda: np.random.default_rng(0).normal(0, 1e-5, 5 * RATE), "is silent"),
        (lambda: 0.01 * syllables(5), "very quiet"),
        (lambda: np.clip(20 * syllables(5), -1, 1), "clipped"),
        (lambda: phone(syllables(5)), "above 3.4 kHz, as on the phone"),
        (lambda: np.random.default_rng(0).normal(0, 0.1, 5 * RATE), "may be noise"),
        (music, "music or noise"),
        (
            lambda: syllables(5) + np.random.default_rng(0).normal(0, 0.1, 5 * RATE),
            "music or noise",
        ),
    ],
)
def test_troubles_are_said(make, words):
    troubles = describe_sound(make()).troubles
    assert len(troubles) == 1
    assert words in troubles[0]


def test_a_recording_that_is_too_long_is_said_without_looking_at_all_of_it(monkeypatch):
    monkeypatch.setattr(sound_module, "LONGEST", 300.0)
    monkeypatch.setattr(sound_module, "_STRETCH", 2.0)
    sound = np.tile(syllables(10).astype(np.float32), 36)
    report = describe_sound(sound)
    assert report.seconds == 360
    assert "at most" in report.troubles[0]


def test_speech_is_told_from_pauses_at_any_level():
    for level in (0.001, 0.3):
        gap = np.random.default_rng(0).normal(0, 1e-4 * level, RATE)
        voice = syllables(2, level=level)
        sound = np.concatenate([gap, voice, gap, voice, gap])
        spans = speech_spans(sound)
        assert len(spans) == 2
        np.testing.assert_allclose(spans, [(1, 3), (4, 6)], atol=0.25)
    assert speech_spans(np.zeros(RATE)) == ()
    assert speech_spans(np.zeros(0)) == ()


def test_pieces_are_short_and_hold_all_speech():
    rng = np.random.default_rng(3)
    parts, at, true = [], 0.0, []
    for k in range(12):
        for seconds, voice in ((rng.uniform(1, 7), True), (rng.uniform(0.4, 1.5), False)):
            count = int(seconds * RATE)
            parts.append(syllables(seconds, seed=k)[:count] if voice else np.full(count, 1e-6))
            if voice:
                true.append((at, at + count / RATE))
            at += count / RATE
    sound = np.concatenate(parts)
    spans = speech_spans(sound)
    cut = pieces(sound, spans, 10.0)
    assert len(cut) > 4
    assert all(end - start <= 10.0 for start, end in cut)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(cut))
    for start, end in spans:
        assert any(a <= start and end <= b for a, b in cut)
    for a, b in itertools.pairwise(cut):  # cuts lie in the pauses
        assert not any(start < (a[1] + b[0]) / 2 < end for start, end in true)


def test_speech_without_pauses_is_cut_where_it_is_quietest():
    sound = syllables(30)
    cut = pieces(sound, ((0.0, 30.0),), 8.0)
    assert cut[0][0] == 0.0
    assert cut[-1][1] == 30.0
    assert all(a[1] == b[0] for a, b in itertools.pairwise(cut))
    assert max(end - start for start, end in cut) <= 8.0
