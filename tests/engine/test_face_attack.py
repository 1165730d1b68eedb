"""Hostile recordings, rigs, takes and options: one sentence each, and nothing left behind."""

from __future__ import annotations

import json
import struct
import wave
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.content import HubertContent
from polyorama.face.ecoface.stages import TrainSettings
from polyorama.face.rigs.gltf_rig import gltf_rig
from polyorama.face.speech.prosody import prosody
from polyorama.face.speech.sound import load_sound, load_speech, missing_sound
from polyorama.verbs.face_eval import face_eval_job

if TYPE_CHECKING:
    from pathlib import Path


def _float_wav(path: Path, samples: np.ndarray) -> Path:
    data = np.asarray(samples, "<f4").tobytes()
    head = struct.pack("<IHHIIHH", 16, 3, 1, 16000, 64000, 4, 32)
    path.write_bytes(
        b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + head
        + b"data" + struct.pack("<I", len(data)) + data
    )  # fmt: skip
    return path


def test_sound_of_absurd_loudness_is_refused(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).normal(0.0, 1e30, 16000).astype(np.float32)
    path = _float_wav(tmp_path / "loud.wav", samples)
    for read in (load_sound, load_speech):
        with pytest.raises(FileFormatError, match="full scale is 1"):
            read(path)
    with pytest.raises(UsageError, match="full scale is 1"):
        prosody(samples)


def test_a_recording_that_was_cut_short_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "voice.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(32000))
    assert missing_sound(path, 1.0) == ""
    assert "ends after 0.4 s" in missing_sound(path, 0.4)


def _avatar(path: Path, **changes: object) -> Path:
    """A quad with one shape, written as text."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4")
    moved = np.array([[0, 0.1, 0]] * 4, "<f4")
    if changes.get("lost"):
        points[3] = np.nan
    ids = np.array([0, 1, 2, 1, 3, 2], "<u4")
    data = points.tobytes() + moved.tobytes() + ids.tobytes()
    path.with_suffix(".bin").write_bytes(data)
    kind = {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, **changes.get("node", {})}],  # type: ignore[dict-item]
        "meshes": [{
            "primitives": [{
                "attributes": {"POSITION": 0}, "indices": 2,
                "targets": changes.get("targets", [{"POSITION": 1}]),
            }],
            "extras": {"targetNames": ["jawOpen"]},
        }],
        "accessors": [kind, {**kind, "bufferView": 1},
                      {"bufferView": 2, "componentType": 5125, "count": 6, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
                        {"buffer": 0, "byteOffset": 48, "byteLength": 48},
                        {"buffer": 0, "byteOffset": 96, "byteLength": 24}],
        "buffers": [{"byteLength": len(data), "uri": path.with_suffix(".bin").name}],
    }  # fmt: skip
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lost": True}, "no finite place"),
        ({"node": {"scale": [0, 0, 0]}}, "moves anything"),
        ({"targets": "abc"}, "moves anything"),
        ({"targets": [{}]}, "moves anything"),
    ],
)
def test_avatars_that_cannot_move_are_refused(tmp_path, changes, said) -> None:
    path = _avatar(tmp_path / "avatar.gltf", **changes)
    with pytest.raises(FileFormatError, match=said) as refused:
        gltf_rig(path)
    assert "avatar.gltf" in str(refused.value)


def test_nobody_moves_like_a_speaker_who_is_not_there(tmp_path, capsys) -> None:
    voice = tmp_path / "voice.wav"
    with wave.open(str(voice), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(3200))
    out = tmp_path / "take.npz"
    speak = ["face", "speak", str(voice), "--source", "rules", "--any-language", "-o", str(out)]
    live = ["face", "live", "--file", str(voice), "--seconds", "0.1"]
    for arguments in (speak, live):
        assert main([*arguments, "--speaker", "99"]) == 2
        assert "A speaker is 0 to 7, not 99." in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("takes", [0, -5, 10**9])
def test_no_takes_or_too_many_are_not_measured(takes: int) -> None:
    with pytest.raises(UsageError, match="Takes are 1 to 100"):
        run(face_eval_job(("motion",), takes=takes))


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"batch": 10**8}, "2 to 1024 clips"), ({"batch": 1}, "2 to 1024 clips"),
     ({"seed": 10**30}, "A seed is 0 to"), ({"seed": -1}, "A seed is 0 to")],
)  # fmt: skip
def test_trainings_that_no_memory_holds_are_refused(settings, said) -> None:
    with pytest.raises(UsageError, match=said):
        TrainSettings(**settings)


def test_silence_has_no_mouth_shapes(tmp_path, capsys) -> None:
    voice, out = tmp_path / "voice.wav", tmp_path / "mouths.tsv"
    with wave.open(str(voice), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(3200))
    assert main(["face", "align", str(voice), "--any-language", "-o", str(out)]) == 2
    assert "No phone was heard" in capsys.readouterr().err
    assert not out.exists()


def test_a_hubert_that_is_not_there_is_not_looked_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such folder with a HuBERT") as refused:
        HubertContent(tmp_path / "nope")
    assert "http" not in str(refused.value)
