"""face train and face eval, as far as they are quick: small folders, what is refused."""

from __future__ import annotations

import json
import shutil
import wave
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.errors import OutputError, UsageError
from polyorama.face.ecoface.generate import EcoFace
from polyorama.face.exports.live_link_csv import write_live_link_csv
from polyorama.face.take import Provenance, Take
from polyorama.scene.faces.channels import CHANNELS
from polyorama.scene.faces.performance import Performance
from polyorama.verbs.face_eval import PARTS, face_eval_job
from polyorama.verbs.face_train import STATE, train_face_job

if TYPE_CHECKING:
    from pathlib import Path


def _takes(folder: Path, count: int = 3, seconds: float = 2.0) -> Path:
    """A folder as Live Link Face leaves it: curves and sound under one name."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        rng = np.random.default_rng(number)
        time = np.arange(round(seconds * 60)) / 60
        open_ = np.clip(np.sin(2 * np.pi * 2.5 * time + number), 0, 1)
        weights = np.zeros((len(time), len(CHANNELS)), np.float32)
        weights[:, CHANNELS.index("jawOpen")] = 0.8 * open_
        weights[:, CHANNELS.index("mouthSmileLeft")] = 0.9
        take = Take(Performance(weights), Provenance("live"))
        write_live_link_csv(take, folder / f"take{number}.csv")
        moments = np.arange(round(seconds * 16000)) / 16000
        loud = np.interp(moments, time, open_)
        sound = 0.4 * loud * np.sign(np.sin(2 * np.pi * 140 * moments))
        sound = sound + 0.01 * rng.normal(size=len(sound))
        with wave.open(str(folder / f"take{number}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16000)
            file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return folder


def test_a_new_speaker_is_learned_and_speaks_like_the_takes(tmp_path, capsys):
    folder, out = _takes(tmp_path / "me"), tmp_path / "me.safetensors"
    assert main(["face", "train", str(folder), "--person", "-o", str(out)]) == 0
    said = capsys.readouterr().err
    before, after = (float(said.split(word)[0].split()[-1]) for word in (" before", " after"))
    assert after < 0.9 * before
    taught = EcoFace.load(out)
    assert taught.speakers[-1] == "me"
    assert len(taught.speakers) == len(EcoFace.load().speakers) + 1


def test_all_of_it_is_taught_in_a_few_steps_and_goes_on(tmp_path, capsys):
    folder, out = _takes(tmp_path / "me"), tmp_path / "all.safetensors"
    steps = ["--steps", "0.0002", "--batch", "2"]
    assert main(["face", "train", str(folder), "-o", str(out), *steps]) == 0
    assert "3 clips of 1 face" in capsys.readouterr().err
    assert EcoFace.load(out).weights.config.persons == 1
    assert not out.with_name(out.name + STATE).exists()


def test_what_cannot_be_learned_is_told(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments in (
        [str(tmp_path / "gone"), "-o", str(tmp_path / "x.safetensors")],
        [str(empty), "-o", str(tmp_path / "x.safetensors")],
        [str(empty), "-o", str(tmp_path / "x.safetensors"), "--layout", "mine"],
        [str(_takes(tmp_path / "me", 1)), "-o", str(tmp_path / "x.safetensors"), "--steps", "0"],
    ):
        assert main(["face", "train", *arguments]) == 2
    with pytest.raises(OutputError, match="safetensors"):
        next(train_face_job(empty, tmp_path / "x.pt"))
    assert not list(tmp_path.glob("x.*"))


def test_parts_of_the_measures_are_named(capsys):
    assert PARTS == ("alignment", "listener", "contact", "motion", "speed")
    with pytest.raises(UsageError, match="no part 'taste'"):
        next(face_eval_job(["taste"]))
    assert main(["face", "eval", "--only", "taste"]) == 2


@pytest.mark.study
@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_alignment_and_contact_keep_their_aims(capsys):
    assert main(["face", "eval", "--only", "alignment", "--only", "contact", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {figure["part"] for figure in figures} == {"alignment", "contact"}
    assert all(figure["holds"] for figure in figures)
