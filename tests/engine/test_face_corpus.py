"""The corpus: what is planned, how a voice is coloured, and that spoken clips have true times."""

from __future__ import annotations

import ctypes.util
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UnavailableError, UsageError
from polyorama.face.corpus import (
    HELD_OUT,
    HELD_OUT_VOICE,
    PROSODY,
    RATE,
    SENTENCES,
    SPEAKERS,
    ClipPlan,
    Prosody,
    Utterance,
    Voice,
    corpus_clips,
    held_out_plan,
    load_corpus,
    prosody_of,
    speak_clip,
    speaker_plan,
)
from polyorama.face.corpus.effects import coloured
from polyorama.face.corpus.espeak import ARPABET, espeak_speaks
from polyorama.face.corpus.flite import flite_speaks
from polyorama.face.corpus.making import _labels_of, _write_clip
from polyorama.face.corpus.psola import repitched
from polyorama.face.corpus.sentences import sentence_words
from polyorama.face.corpus.utterance import resampled
from polyorama.face.speech.prosody import prosody
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.phones import PHONES

flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
espeak = pytest.mark.skipif(
    ctypes.util.find_library("espeak-ng") is None, reason="espeak-ng is not installed"
)
TEXT = "Bobby put the small map on the table."
SYMBOL = {phone: i for i, phone in enumerate(PHONES)}


def test_sentences_are_many_distinct_and_some_held_out():
    assert len(SENTENCES) >= 200
    assert len(set(SENTENCES)) == len(SENTENCES)
    assert all(0 <= i < len(SENTENCES) for i in HELD_OUT)
    assert 30 <= len(HELD_OUT) <= len(SENTENCES) // 4


def test_speakers_and_feelings_are_all_said_alike():
    plan = speaker_plan(clips_each=2, seed=3)
    assert len(plan) == 2 * len(SPEAKERS) * 15
    assert len({(p.speaker, p.emotion, p.level, p.sentence) for p in plan}) == len(plan)
    assert not {p.sentence for p in plan} & HELD_OUT
    assert {p.sentence for p in speaker_plan(2, 3, held_out=True)} <= HELD_OUT
    assert plan == speaker_plan(clips_each=2, seed=3)
    assert plan != speaker_plan(clips_each=2, seed=4)


def test_the_held_out_voice_speaks_in_no_training():
    assert all(s.voice.name != HELD_OUT_VOICE for s in SPEAKERS)
    assert {p.voice.name for p in held_out_plan(5)} == {HELD_OUT_VOICE}


def test_random_speech_leaves_out_held_out_voice_sentences_and_words():
    pytest.importorskip("pocketsphinx")
    from polyorama.face.corpus import listener_plan

    plan = listener_plan(400, seed=1)
    assert all(p.voice.name != HELD_OUT_VOICE for p in plan)
    assert not {p.sentence for p in plan} & HELD_OUT
    strings = [p for p in plan if p.sentence < 0]
    said = {w.strip(".,") for p in strings for w in p.text.split()}
    assert len(strings) > 200
    assert not said & sentence_words(HELD_OUT)


def test_feelings_have_their_levels():
    assert set(PROSODY) == set(EMOTIONS)
    weak, strong = prosody_of(4, 1), prosody_of(4, 2)
    assert 1.0 < weak.pitch < strong.pitch
    assert weak.gain == pytest.approx(strong.gain / 2)
    for emotion, level in ((0, 2), (3, 3), (8, 1), (-1, 1)):
        with pytest.raises(UsageError):
            prosody_of(emotion, level)


def test_voices_out_of_range_are_refused():
    for engine, name in (("siri", "x"), ("flite", "nobody")):
        with pytest.raises(UsageError):
            Voice(engine, name)
    with pytest.raises(UsageError):
        Voice("flite", "slt", pitch=9.0)


def _buzz(seconds: float = 1.0, hertz: float = 125.0) -> np.ndarray:
    t = np.arange(int(seconds * RATE)) / RATE
    return (sum(np.sin(2 * np.pi * hertz * k * t) / k for k in range(1, 50)) / 4).astype(np.float32)


def _band(x: np.ndarray, low: float, high: float) -> float:
    power = np.abs(np.fft.rfft(x.astype(np.float64))) ** 2
    hertz = np.fft.rfftfreq(len(x), 1 / RATE)
    return float(power[(hertz >= low) & (hertz < high)].sum())


def test_tilt_slopes_the_spectrum_by_its_decibels_an_octave():
    buzz, rng = _buzz(), np.random.default_rng(0)
    plain = coloured(buzz, Prosody(), rng)
    soft = coloured(buzz, Prosody(tilt=-3.0), rng)

    def octave(x: np.ndarray) -> float:
        return 10 * np.log10(_band(x, 1900, 2101) / _band(x, 950, 1051))

    assert octave(soft) - octave(plain) == pytest.approx(-3.0, abs=0.3)


def test_gain_changes_loudness_and_nothing_is_cut():
    buzz, rng = _buzz(), np.random.default_rng(0)
    quiet, plain = (coloured(buzz, Prosody(gain=g), rng) for g in (-6.0, 0.0))
    assert np.std(plain) / np.std(quiet) == pytest.approx(10**0.3, rel=0.02)
    assert np.abs(coloured(buzz, Prosody(gain=40.0), rng)).max() < 1.0 + 1e-6


def test_breath_fills_the_gaps_between_harmonics():
    buzz, rng = _buzz(), np.random.default_rng(0)
    plain, breathy = (coloured(buzz, Prosody(breath=b), rng) for b in (0.0, 0.1))
    assert _band(breathy, 4030, 4095) > 10 * _band(plain, 4030, 4095)


def test_tremor_and_jitter_leave_times_where_they_are():
    clicks = np.zeros(RATE, np.float32)
    clicks[2000::2000] = 1.0
    out = coloured(clicks, Prosody(tremor=0.72, jitter=0.034), np.random.default_rng(1))
    found = [2000 * k + np.argmax(np.abs(out[2000 * k - 200 : 2000 * k + 200])) - 200
             for k in range(1, 7)]  # fmt: skip
    assert np.abs(np.array(found) - 2000 * np.arange(1, 7)).max() <= 0.002 * RATE


def test_resampling_keeps_a_tone_and_drops_what_does_not_fit():
    t = np.arange(22050) / 22050
    tone = np.sin(2 * np.pi * 440 * t).astype(np.float32)
    out = resampled(tone, 16000)
    wanted = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    assert np.abs(out - wanted)[400:-400].max() < 5e-3
    high = resampled(np.sin(2 * np.pi * 9500 * t).astype(np.float32), 16000)
    assert np.abs(high)[400:-400].max() < 0.02


def test_labels_are_the_phones_at_the_middles_of_frames():
    said = Utterance(
        np.zeros(1600, np.float32), np.array([0, 5, 9], np.uint8),
        np.array([0, 0.02, 0.06], np.float32), np.array([0.02, 0.06, 0.08], np.float32),
        np.array([True, True, False]),
    )  # fmt: skip
    assert said.labels(100.0, 10).tolist() == [0, 0, 5, 5, 5, 5, -1, -1, 0, 0]
    assert [p.symbol for p in said.track().phones] == [PHONES[i] for i in (0, 5, 9)]


def test_every_mnemonic_means_phones_of_ours():
    assert {p for parts in ARPABET.values() for p in parts} <= set(PHONES)
    assert {p for parts in ARPABET.values() for p in parts} == set(PHONES)


@flite
@pytest.mark.parametrize("tract", [1.0, 1.15])
def test_flite_says_when_each_phone_sounds(tract):
    said = flite_speaks(TEXT, Voice("flite", "slt", tract=tract))
    symbols = [PHONES[p] for p in said.phones]
    assert "".join(s for s in symbols if s != "sil").startswith("BAABIY")
    assert np.array_equal(said.starts[1:], said.ends[:-1])
    assert said.ends[-1] == pytest.approx(said.seconds, abs=0.06)
    # Before each /p b/ releases, the lips are shut: it is quieter there than in the vowel after.
    loud = [
        np.sqrt(np.mean(said.samples[int(a * RATE) : int(b * RATE)] ** 2))
        for a, b in zip(said.starts, said.ends, strict=True)
    ]
    for i, symbol in enumerate(symbols[:-1]):
        if symbol in ("B", "P") and symbols[i + 1] in ("AA", "IY", "UH"):
            assert loud[i] < loud[i + 1]


@flite
def test_a_shorter_throat_moves_formants_and_not_duration_or_pitch():
    one, other = (flite_speaks(TEXT, Voice("flite", "slt", tract=r)) for r in (1.0, 1.2))
    assert other.seconds == pytest.approx(one.seconds, rel=0.03)

    def envelope(said: Utterance) -> np.ndarray:
        """Mean spectrum in dB at 300 to 5000 Hz in steps of 2 %, harmonics smoothed away."""
        power = np.abs(np.fft.rfft(said.samples.astype(np.float64))) ** 2
        smooth = np.convolve(power, np.hanning(round(300 * said.seconds)), mode="same")
        steps = 300 * 1.02 ** np.arange(142)
        hertz = np.fft.rfftfreq(len(said.samples), 1 / RATE)
        return 10 * np.log10(np.interp(steps, hertz, smooth))

    base, moved = envelope(one), envelope(other)
    off = [np.std(moved[k:] - base[: len(base) - k]) for k in range(25)]
    assert 1.02 ** np.argmin(off) == pytest.approx(1.2, abs=0.08)


@flite
def test_a_text_of_several_sentences_keeps_its_times_in_order():
    said = flite_speaks("Put it down. Bring me the map.", Voice("flite", "kal16"))
    assert (np.diff(said.ends) >= 0).all()
    assert said.ends[-1] == pytest.approx(said.seconds, abs=0.1)


@espeak
def test_espeak_says_when_each_phone_sounds_and_doubts_liquids():
    said = espeak_speaks(f"{TEXT} Call the car.", Voice("espeak", "gmw/en-US+f3"))
    symbols = [PHONES[p] for p in said.phones]
    assert "".join(s for s in symbols if s != "sil").startswith("BAABIYP")
    assert np.array_equal(said.starts[1:], said.ends[:-1])
    assert said.ends[-1] == pytest.approx(said.seconds, abs=0.01)
    call = [i for i, s in enumerate(symbols) if s == "L"][-1]
    assert not said.sure[call]
    assert not said.sure[call - 1]
    assert said.sure.mean() > 0.6
    with pytest.raises(UsageError):
        espeak_speaks(TEXT, Voice("espeak", "no-such-voice"))


@pytest.mark.parametrize("speak", [flite_speaks, espeak_speaks])
def test_nothing_to_say_is_refused(speak):
    with pytest.raises(UsageError):
        speak("  ", Voice("flite", "slt"))


def test_without_flite_it_is_said_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr("polyorama.face.corpus.flite.shutil.which", lambda name: None)
    with pytest.raises(UnavailableError, match="apt install flite"):
        run(corpus_clips([ClipPlan(TEXT, Voice("flite", "slt"))], tmp_path / "new"))
    assert not (tmp_path / "new").exists()


@flite
def test_a_corpus_is_written_and_read_again(tmp_path):
    plan = speaker_plan(1, seed=2)[:3]
    corpus = run(corpus_clips(plan, tmp_path, processes=1))
    again = load_corpus(tmp_path)
    assert len(corpus) == len(again) == 3
    assert again.seconds == pytest.approx(sum(again[i].utterance.seconds for i in range(3)))
    for i, clip in enumerate(plan):
        said = speak_clip(clip)
        read = again[i]
        assert np.abs(read.utterance.samples - said.utterance.samples).max() < 1e-4
        assert np.array_equal(read.utterance.phones, said.utterance.phones)
        assert np.array_equal(read.utterance.ends, said.utterance.ends)
        assert (read.speaker, read.emotion, read.level, read.sentence, read.text) == (
            clip.speaker, clip.emotion, clip.level, clip.sentence, clip.text)  # fmt: skip
    # What is there is kept.
    before = (tmp_path / "000001.wav").stat().st_mtime_ns
    row = _write_clip(plan[1], tmp_path / "000001")
    assert row["seconds"] == pytest.approx(again[1].utterance.seconds)
    assert (tmp_path / "000001.wav").stat().st_mtime_ns == before
    # What is there is not taken for another plan's.
    for other in (plan[:2], speaker_plan(1, seed=3)[:3]):
        with pytest.raises(UsageError, match="another plan"):
            run(corpus_clips(other, tmp_path, processes=1))
    (tmp_path / "plan.txt").unlink()
    with pytest.raises(UsageError, match="another plan"):
        run(corpus_clips(plan, tmp_path, processes=1))


_KILLED = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
from polyorama.face.corpus.making import _begin_to_speak

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, context, initializer=_begin_to_speak)
    print(pool.submit(os.getpid).result(), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
"""


def test_processes_that_speak_end_with_the_one_that_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(_KILLED)
    # All of them hold the pipe, so it is read to its end only once all of them have ended.
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode < 0
    assert int(done.stdout) > 0


def _labels(path, compression=zipfile.ZIP_STORED, **changes) -> None:
    """Labels of two phones, some arrays exchanged."""
    arrays = {
        "phones": np.array([0, 5], np.uint8), "starts": np.array([0, 0.1], np.float32),
        "ends": np.array([0.1, 0.2], np.float32), "sure": np.array([True, True]), **changes,
    }  # fmt: skip
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                if isinstance(array, bytes):
                    file.write(array)
                else:
                    np.lib.format.write_array(file, array)


_HUGE = b"\x93NUMPY\x01\x00\x46\x00" + (
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}".ljust(69) + b"\n"
)


def test_labels_that_lie_are_refused_before_memory_is_taken(tmp_path):
    path = tmp_path / "0.npz"
    _labels(path)
    assert _labels_of(path)["phones"].tolist() == [0, 5]
    whole = path.read_bytes()
    for changes in (
        {"phones": np.array([0, 40], np.uint8)}, {"phones": np.zeros(0, np.uint8)},
        {"starts": np.zeros(3, np.float32)}, {"ends": np.array([0, np.nan], np.float32)},
        {"sure": np.zeros((2, 1), bool)}, {"starts": _HUGE}, {"ends": b"nothing"},
        {"phones": np.zeros(2_000_000, np.uint8), "compression": zipfile.ZIP_DEFLATED},
    ):  # fmt: skip
        _labels(path, **changes)
        with pytest.raises(FileFormatError, match=r"0\.npz"):
            _labels_of(path)
    for damaged in (whole[:100], whole[:-30], b"PK\x03\x04" + bytes(60)):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=r"0\.npz"):
            _labels_of(path)


def test_a_damaged_corpus_is_named(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        load_corpus(tmp_path)
    (tmp_path / "corpus.json").write_text("{}")
    with pytest.raises(FileFormatError, match="damaged"):
        load_corpus(tmp_path)
    (tmp_path / "corpus.json").write_text(
        '{"clips": [{"name": "3", "text": "x", "speaker": 0, "emotion": 0, "level": 1,'
        ' "sentence": 0, "seconds": 1}]}'
    )
    corpus = load_corpus(tmp_path)
    for text in ("[" * 100_000, '{"clips": [{"name": Infinity}]}', '{"clips": 3}'):
        (tmp_path / "corpus.json").write_text(text)
        with pytest.raises(FileFormatError, match="damaged"):
            load_corpus(tmp_path)
    (tmp_path / "000003.wav").write_bytes(b"RIFFxxxx")
    (tmp_path / "000003.npz").write_bytes(b"PK")
    with pytest.raises(FileFormatError, match=r"000003\.wav"):
        corpus[0]


def test_another_melody_keeps_durations_and_formants():
    rate, fps = 16000, 100.0
    time = np.arange(rate) / rate
    phase = np.cumsum(2 * np.pi * (120 + 20 * np.sin(2 * np.pi * 2 * time)) / rate)
    tone = sum(
        np.exp(-0.5 * ((k * 120 - 700) / 300) ** 2) * np.cos(k * phase) for k in range(1, 20)
    )
    sound = (0.2 * tone).astype(np.float32)
    sound[:2000] = 0.0
    before = prosody(sound, fps)
    f0 = before.f0.astype(np.float64)
    for ratio in (0.75, 1.3):
        made = repitched(sound, rate, f0, ratio * f0, fps)
        assert len(made) == len(sound)
        assert not made[:1800].any()
        after = prosody(made, fps)
        both = (f0 > 0) & (after.f0 > 0)
        assert both.mean() > 0.7
        assert np.median(after.f0[both] / f0[both]) == pytest.approx(ratio, rel=0.03)
        spectra = [np.abs(np.fft.rfft(x[4000:12000])) ** 2 for x in (sound, made)]
        hertz = np.fft.rfftfreq(8000, 1 / rate)
        centres = [float((s * hertz).sum() / s.sum()) for s in spectra]
        # Played faster or slower, its formants would move by the ratio itself.
        assert centres[1] == pytest.approx(centres[0], rel=0.12)
