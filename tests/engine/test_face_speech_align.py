"""Transcripts aligned with speech, recognition, and the long way round."""

from __future__ import annotations

import itertools
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from polyorama.core.jobs import Progress, run
from polyorama.errors import UnavailableError, UsageError
from polyorama.face.speech import align as align_module
from polyorama.face.speech.align import align, align_job, recognise
from polyorama.face.speech.alignment_study import (
    SENTENCES,
    VOICES,
    _figures,
    alignment_study,
    flite,
)
from polyorama.face.speech.islands import arpa_model, matching_words
from polyorama.face.speech.pronunciation import pronounce
from polyorama.io.audio import read_audio
from polyorama.scene.faces.phones import PHONES, Phone

CLIPS = Path("/usr/share/pocketsphinx/test/data/librivox")
RATE = 16000

pytest.importorskip("pocketsphinx", reason="pocketsphinx, of the extra 'face', is not installed")
needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
needs_clips = pytest.mark.skipif(
    not CLIPS.is_dir(), reason="pocketsphinx-testdata is not installed"
)


@pytest.fixture(scope="module")
def said():
    """Four sentences by two voices with pauses between, and the true starts of their words."""
    if shutil.which("flite") is None:
        pytest.skip("flite is not installed")
    rng = np.random.default_rng(0)
    parts, phones, at = [], [], 0.0
    for k, text in enumerate(SENTENCES[:4]):
        samples, true = flite(text, ("slt", "rms")[k % 2])
        gap = np.zeros(int(rng.uniform(0.3, 0.8) * RATE), np.float32)
        parts += [samples, gap]
        phones += [Phone(p.symbol, p.start + at, p.end + at) for p in true]
        at += (len(samples) + len(gap)) / RATE
    sound = np.concatenate(parts)
    sound += rng.normal(0, 1e-3, len(sound)).astype(np.float32)
    return sound, " ".join(SENTENCES[:4]), tuple(phones)


@needs_flite
def test_phones_start_where_the_synthesiser_says():
    """A few of what `face eval` runs; over all of it the error is 10.2 ms."""
    study = run(alignment_study(("slt", "kal16"), SENTENCES[::7]))
    assert study.failures == 0
    assert study.error < 0.015
    for voice in study.voices:
        assert voice.phones > 90
        assert voice.matched > 0.95
        assert abs(voice.bias) < 0.006
        assert voice.within_50_ms > 0.95


@needs_flite
@pytest.mark.study
def test_all_sentences_of_all_voices_align():
    study = run(alignment_study())
    assert study.failures == 0
    assert [voice.voice for voice in study.voices] == list(VOICES)
    assert all(voice.error < 0.015 for voice in study.voices)


def test_figures_of_the_study():
    true = [Phone("P", 0.1, 0.2), Phone("AA", 0.2, 0.3), Phone("S", 0.3, 0.5)]
    found = [Phone("P", 0.13, 0.2), Phone("AA", 0.19, 0.3), Phone("S", 0.36, 0.5)]
    figures = _figures("x", 1, 0, 4, list(zip(true, found, strict=True)))
    assert figures.matched == 0.75
    assert figures.bias == pytest.approx(0.03)
    assert figures.error == pytest.approx((0.03 + 0.01 + 0.06) / 3)
    assert figures.bilabial_error == pytest.approx(0.03)
    assert (figures.within_20_ms, figures.within_50_ms) == pytest.approx((1 / 3, 2 / 3))


def transcripts():
    lines = (CLIPS / "transcription").read_text().splitlines() if CLIPS.is_dir() else []
    return [re.fullmatch(r"<s> (.*) </s> \((.*)\)", line).groups() for line in lines]


@needs_clips
@pytest.mark.parametrize(("text", "name"), transcripts())
def test_human_clips_align(text, name):
    sound = read_audio(CLIPS / f"{name}.wav").samples[:, 0]
    track = align(sound, text)
    assert [word.text for word in track.words] == text.split()
    assert track.seconds <= len(sound) / RATE + 0.01
    # The speech lies where it is loud: a phone each 0.04 to 0.2 s on average.
    assert 5 < len(track.phones) / (track.seconds - track.phones[0].start) < 25
    assert all(phone.symbol in PHONES for phone in track.phones)


@needs_clips
def test_a_human_clip_is_recognised():
    text, name = transcripts()[4]
    heard, track = recognise(read_audio(CLIPS / f"{name}.wav").samples[:, 0])
    right = set(text.split()) & set(heard.split())
    assert len(right) >= 5  # of eight; it is heard with about a quarter of the words wrong
    assert [word.text for word in track.words] == heard.split()


def test_nothing_is_heard_in_silence():
    text, track = recognise(np.zeros(3 * RATE))
    assert text == ""
    assert track.phones == ()


def test_a_long_recording_is_aligned_in_pieces(said, monkeypatch):
    sound, text, true = said
    whole = align(sound, text)
    monkeypatch.setattr(align_module, "_WHOLE", 1.0)
    monkeypatch.setattr(align_module, "_PIECE", 4.0)
    lengths = []
    kept = align_module.Aligner.align

    def watched(self, piece, words):
        lengths.append(len(piece) / RATE)
        return kept(self, piece, words)

    monkeypatch.setattr(align_module.Aligner, "align", watched)
    job, notes = align_job(sound, text), []
    while True:
        try:
            progress = next(job)
        except StopIteration as stop:
            track = stop.value
            break
        assert isinstance(progress, Progress)
        notes.append((progress.note, progress.done, progress.total))
    assert len(lengths) > 1
    assert max(lengths) < 0.8 * len(sound) / RATE
    assert notes[-1] == ("Aligning words", notes[-1][2], notes[-1][2])
    # Of words with two pronunciations another may be taken, so words are compared.
    assert [word.text for word in track.words] == [word.text for word in whole.words]
    off = [abs(a.start - b.start) for a, b in zip(track.words, whole.words, strict=True)]
    assert np.median(off) <= 0.01
    assert max(off) < 0.1
    assert track.seconds == pytest.approx(true[-1].end, abs=0.1)


def test_words_that_are_not_there_are_named_or_spread(said):
    sound = said[0][: 2 * RATE]
    text = " ".join([*SENTENCES, *SENTENCES])
    with pytest.raises(UsageError, match=r"'bring the big blue box .*' *\) cannot be found"):
        align(sound, text)
    with pytest.raises(UsageError, match=r"430 words .* do not fit into 1\.\d s"):
        align(sound, text, on_failure="spread")
    some = " ".join(SENTENCES[:2])
    with pytest.raises(UsageError, match=r"cannot be found in the sound from 0\.0 s"):
        align(sound, some)
    track = align(sound, some, on_failure="spread")
    assert len(track.words) == len(some.split())
    assert 0 <= track.phones[0].start < 0.5
    assert track.seconds < 2.1


def test_spread_words_fill_what_is_loud():
    tone = 0.3 * np.sin(2 * np.pi * 150 * np.arange(RATE) / RATE)
    quiet = np.zeros(RATE)
    sound = np.concatenate([quiet, tone, quiet, tone]).astype(np.float32)
    placed = align_module._spread(sound, ["mama", "mama"], pronounce(["mama"]))
    assert placed[0].phones[0].start == pytest.approx(0.9, abs=0.05)
    assert placed[0].phones[-1].end == pytest.approx(2.1, abs=0.15)
    assert placed[1].phones[-1].end == pytest.approx(4.0, abs=0.05)


@needs_flite
def test_names_numbers_quiet_and_phone_sound_align():
    samples, _ = flite("Doctor Wojtyschek paid forty two dollars to Polyorama.")
    spectrum = np.fft.rfft(samples)
    spectrum[int(len(spectrum) * 3400 / 8000) :] = 0
    phone = np.fft.irfft(spectrum, len(samples))
    for sound in (samples, 0.002 * samples, np.clip(10 * samples, -1, 1), phone):
        track = align(sound, "Dr. Wojtyschek paid $42 to Polyorama.")
        assert " ".join(word.text for word in track.words) == (
            "doctor wojtyschek paid forty two dollars to polyorama"
        )
        assert 2.0 < track.seconds < len(samples) / RATE
        forty = next(p for p in track.phones if p.start >= track.words[3].start)
        assert forty.symbol == "F"


@needs_flite
def test_stress_falls_on_one_vowel_of_a_word():
    samples, _ = flite("The museum of completely wooden potatoes.")
    track = align(samples, "The museum of completely wooden potatoes.")
    for word in track.words:
        inside = [p for p in track.phones if word.start <= p.start < word.end]
        assert sum(p.stress == 1 for p in inside) == (word.text not in ("the", "of"))
        assert all((p.stress >= 0) == (p.symbol[0] in "AEIOU") for p in inside)


@pytest.mark.parametrize(
    ("sound", "text", "words"),
    [
        (np.zeros(RATE), "hello", "silent"),
        (np.ones(RATE) * 0.1, "...", "no words"),
        (np.zeros((RATE, 2)), "hello", "one row"),
    ],
)
def test_what_cannot_be_aligned_is_said(sound, text, words):
    with pytest.raises(UsageError, match=words):
        align(sound, text)
    with pytest.raises(UsageError, match="spread"):
        align(np.ones(RATE), "hello", on_failure="ignore")


def test_without_pocketsphinx_it_says_how_to_get_it(monkeypatch):
    from polyorama.face.speech import pronunciation

    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    pronunciation._dictionary.cache_clear()
    noise = np.random.default_rng(0).normal(0, 0.1, RATE)
    with pytest.raises(UnavailableError, match=r"polyorama\[face\]"):
        align(noise, "hello")
    with pytest.raises(UnavailableError, match=r"polyorama\[face\]"):
        recognise(noise)
    pronunciation._dictionary.cache_clear()


def test_matching_words_survive_errors_and_missing_passages():
    rng = np.random.default_rng(0)
    written = [f"w{k}" for k in rng.integers(0, 300, 2000)]
    heard, true = [], []
    for place, word in enumerate(written):
        kind = rng.uniform()
        if 900 <= place < 1000 or kind < 0.05:  # a passage that nobody said; words not heard
            continue
        if kind < 0.15:
            heard.append("wrong")
            continue
        true.append((len(heard), place))
        heard.append(word)
    found = matching_words(heard, written)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(found))
    assert all(heard[i] == written[j] for i, j in found)
    assert len(set(found) & set(true)) > 0.97 * len(true)
    assert len(set(found) - set(true)) < 0.02 * len(true)
    assert matching_words([], written) == []


def test_the_model_of_a_transcript_is_a_distribution():
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "the",
        "mat",
        "and",
        "the",
        "dog",
        "sat",
        "on",
        "the",
        "cat",
    ]
    lines = arpa_model(words).splitlines()
    single = {}
    pairs = {}
    for line in lines:
        parts = line.split()
        if len(parts) == 3 and parts[1] in words and parts[2] in words:
            pairs[tuple(parts[1:])] = 10 ** float(parts[0])
        elif len(parts) in (2, 3) and parts[0].startswith("-") and parts[1] != "<s>":
            single[parts[1]] = (10 ** float(parts[0]), 10 ** float(parts[2]))
    assert sum(share for share, _ in single.values()) == pytest.approx(1, abs=1e-3)
    for one in {a for a, _ in pairs}:
        total = sum(
            pairs.get((one, other), single[one][1] * share) for other, (share, _) in single.items()
        )
        assert total == pytest.approx(1, abs=1e-3)
