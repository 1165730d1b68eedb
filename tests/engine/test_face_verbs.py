"""Faces as verbs and on the command line: a recording in, files out, and what can go wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import wave
from typing import TYPE_CHECKING

import numpy as np
import pytest

import polyorama as po
from polyorama.cli import main
from polyorama.errors import UsageError
from polyorama.face.speech.textgrid import read_textgrid, write_textgrid
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.faces.script import FaceStyle
from polyorama.verbs.face import emotion_keys, style_of

if TYPE_CHECKING:
    from pathlib import Path

TRACK = PhoneTrack(
    (Phone("M", 0.10, 0.18), Phone("AA", 0.18, 0.42, 1), Phone("P", 0.42, 0.52),
     Phone("UW", 0.52, 0.80, 0))
)  # fmt: skip


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    """A second of a buzz that rises and falls."""
    time = np.arange(16000) / 16000
    sound = 0.4 * np.sign(np.sin(2 * np.pi * 120 * time)) * np.sin(np.pi * time)
    path = tmp_path / "voice.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    return path


@pytest.fixture
def phones(tmp_path: Path) -> Path:
    path = tmp_path / "voice.TextGrid"
    write_textgrid(path, TRACK)
    return path


def test_a_recording_becomes_files_that_read_back_alike(voice, phones, tmp_path):
    outputs = [tmp_path / f"take.{ending}" for ending in ("npz", "csv", "json", "TextGrid", "tsv")]
    arguments = ["face", "speak", str(voice), "--phones", str(phones), "--source", "rules",
                 "--emotion", "happy:0.6", "--seed", "3", "--style", "jaw=1.2"]  # fmt: skip
    for output in outputs:
        arguments += ["-o", str(output)]
    assert main(arguments) == 0
    whole = po.read_take(outputs[0])
    assert whole.provenance.source == "rules"
    assert whole.provenance.sound == "voice.wav"
    assert whole.performance.seconds == pytest.approx(1.0, abs=0.02)
    closed = whole.performance.at(0.47)
    np.testing.assert_allclose(closed[17], closed[18], atol=1e-6)  # jawOpen and mouthClose
    for output in outputs[1:3]:
        again = po.read_take(output).performance
        np.testing.assert_allclose(again.weights, whole.performance.weights, atol=1e-4)
    assert read_textgrid(outputs[3]).phones[1].symbol == "AA"


def test_the_same_words_in_python_give_the_same_take(voice):
    settings = {"phones": TRACK, "source": "rules", "emotion": "sad:1", "seed": 4}
    one, other = (po.speak(voice, **settings).take.performance.weights for _ in range(2))
    np.testing.assert_array_equal(one, other)
    happy = po.speak(voice, **(settings | {"emotion": "happy:1"})).take.performance.weights
    assert np.abs(happy - one).max() > 0.2


def test_emotions_are_said_in_words():
    keys = emotion_keys(["happy:0.7", "sad@2.5", "angry:0.2@2.5"])
    assert [key.time for key in keys] == [0.0, 2.1, 2.5]
    assert keys[1].weights == keys[0].weights
    assert keys[0].weights[EMOTIONS.index("happy")] == 0.7
    assert keys[2].weights[EMOTIONS.index("sad")] == 1.0
    assert keys[2].weights[EMOTIONS.index("angry")] == 0.2
    assert emotion_keys("calm")[0].weights[EMOTIONS.index("calm")] == 1.0
    for bad in ("merry", "happy:2", "happy:x", "happy:1.2.3", "happy@", ""):
        with pytest.raises(UsageError):
            emotion_keys([bad])


def test_sliders_are_said_by_name():
    assert style_of({"jaw": 1.5}) == FaceStyle(jaw=1.5)
    assert style_of(None) == FaceStyle()
    with pytest.raises(UsageError, match="no slider"):
        style_of({"chin": 1.0})
    with pytest.raises(UsageError):
        style_of({"jaw": 9.0})


def _said(capsys, arguments) -> str:
    try:
        status = main([str(a) for a in arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    text = capsys.readouterr().err.strip()
    assert text.startswith("polyorama: ")
    assert "\n" not in text
    return text


def test_what_cannot_be_done_is_said_in_one_sentence_and_nothing_is_written(
    voice, phones, tmp_path, capsys
):
    out = tmp_path / "take.csv"
    empty, noise = tmp_path / "empty.wav", tmp_path / "noise.wav"
    empty.write_bytes(b"")
    noise.write_bytes(np.random.default_rng(0).bytes(4000))
    speak = ["face", "speak"]
    ours = [voice, "--phones", phones, "--source", "rules"]
    cases = {
        "no such file": [*speak, tmp_path / "gone.wav", "-o", out],
        "empty": [*speak, empty, "-o", out],
        "damaged": [*speak, noise, "-o", out],
        "cannot be written as such": [*speak, *ours, "-o", tmp_path / "take.xyz"],
        "which second": [*speak, *ours, "-o", tmp_path / "take.png"],
        "no emotion": [*speak, *ours, "--emotion", "merry", "-o", out],
        "not both": [*speak, *ours, "--emotion", "sad", "--emotion-from", voice, "-o", out],
        "no slider": [*speak, *ours, "--style", "chin=1", "-o", out],
        "is a number": [*speak, *ours, "--style", "jaw=wide", "-o", out],
        "NAME=X": [*speak, *ours, "--style", "jaw", "-o", out],
        "no rig called": [*speak, *ours, "--rig", "nobody", "-o", tmp_path / "take.glb"],
        "is for the puppet": [*speak, *ours, "--rig", voice, "--identity", "age=1", "-o", out],
        "give one of them": [*speak, *ours, "--text", "a", "--text-file", voice, "-o", out],
        "temperature": [*speak, *ours, "--temperature", "9", "-o", out],
        "--landmark is A:B": ["face", "fit", voice, "-o", tmp_path / "x.glb", "--landmark", "1"],
        "(can: .TextGrid": ["face", "align", voice, "-o", out],
        "folder": [*speak, *ours, "-o", tmp_path / "nowhere" / "take.csv"],
    }
    before = sorted(tmp_path.iterdir())
    for words, arguments in cases.items():
        assert words.lower() in _said(capsys, arguments).lower()
    assert sorted(tmp_path.iterdir()) == before


def test_sliders_are_listed(capsys):
    assert main(["face", "style"]) == 0
    text = capsys.readouterr().out
    assert "jaw" in text
    assert "0 to 2 (1)" in text
    assert "hair" in text


def test_a_rig_is_checked_in_words_and_as_json(capsys):
    status = main(["face", "check", "puppet"])
    words = capsys.readouterr().out
    assert main(["face", "check", "puppet", "--json"]) == status
    report = json.loads(capsys.readouterr().out)
    assert report["missing"] == []
    assert "lip" in words.lower()


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_words_are_found_in_speech(tmp_path, capsys):
    pytest.importorskip("pocketsphinx")
    clip, out = tmp_path / "clip.wav", tmp_path / "clip.TextGrid"
    subprocess.run(["flite", "-voice", "slt", "-t", "We bought a big map.", "-o", clip], check=True)
    assert main(["face", "align", str(clip), "--text", "We bought a big map.", "-o", str(out)]) == 0
    symbols = [phone.symbol for phone in read_textgrid(out).phones]
    assert [s for s in symbols if s in ("W", "B", "M", "P")] == ["W", "B", "B", "M", "P"]
    heard = tmp_path / "heard.tsv"
    assert main(["face", "align", str(clip), "-o", str(heard)]) == 0
    assert "heard:" in capsys.readouterr().err
    assert heard.read_text().splitlines()[0].split("\t")[1] in "ABCDEFGHX"
