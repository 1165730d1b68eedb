"""The real engine behind the Face workspace, without a window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.exports.formats import write_take
from polyorama.face.live.sources import FileSource
from polyorama.face.take import Provenance, Take
from polyorama.scene.faces.channels import CHANNELS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama_studio.workspaces.face.engine import EngineWorks
from polyorama_studio.workspaces.face.microphone import MicrophoneLine
from polyorama_studio.workspaces.face.works import LiveSettings

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def works() -> EngineWorks:
    return EngineWorks()


def _take(rows: np.ndarray) -> Take:
    phones = PhoneTrack((Phone("M", 0.1, 0.4), Phone("AA", 0.4, 0.9)))
    return Take(Performance(rows, 60.0), Provenance("rules"), phones)


def _moving(seconds: float = 1.0) -> np.ndarray:
    rows = np.zeros((round(60 * seconds), len(CHANNELS)), np.float32)
    rows[:, CHANNELS.index("jawOpen")] = 0.4
    rows[:, CHANNELS.index("mouthSmileLeft")] = 0.6
    return rows


def test_identities_of_projects_come_back_and_unknown_traits_are_told(works: EngineWorks) -> None:
    plain = works.identity()
    assert works.identity({"age": 0.9, "hair": "bun"}).hair == "bun"
    assert works.identity({}) == plain
    with pytest.raises(UsageError, match="wings"):
        works.identity({"wings": 2.0})
    with pytest.raises(UsageError):
        works.identity({"age": 7.0})


@pytest.mark.parametrize("ending", [".npz", ".csv", ".json"])
def test_a_take_that_was_exported_lends_its_emotion(
    works: EngineWorks, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"smile{ending}"
    run(works.export(_take(_moving()), None, path, ending))  # type: ignore[arg-type]
    feeling = works.feeling_of(path)
    assert feeling.name == path.name
    assert feeling.features.ndim == 2
    assert len(feeling.features) >= 20


def test_a_take_in_which_nothing_moves_lends_none(works: EngineWorks, tmp_path: Path) -> None:
    path = tmp_path / "phones.textgrid"
    run(write_take(_take(_moving()), path))
    with pytest.raises(UsageError, match=r"Nothing moves.*phones\.textgrid"):
        works.feeling_of(path)


def test_a_file_without_a_mesh_cannot_be_fitted(works: EngineWorks, tmp_path: Path) -> None:
    path = tmp_path / "letter.obj"
    path.write_text("Dear face,\n")
    with pytest.raises((UsageError, FileFormatError), match=r"letter\.obj"):
        run(works.fitted(path))


def test_sound_moves_a_face_live_and_is_recorded() -> None:
    times = np.arange(16_000) / 16_000
    hum = 0.3 * np.sin(2 * np.pi * 140 * times) * (np.sin(2 * np.pi * 3 * times) > 0)
    line = MicrophoneLine(LiveSettings(), FileSource(hum))
    try:
        line.set_recording(True)
        end = time.monotonic() + _PATIENCE_S
        while line.figures().state != "ended" and time.monotonic() < end:
            time.sleep(0.02)
        figures = line.figures()
        assert figures.state == "ended"
        assert figures.weights is not None
        assert figures.weights.shape == (len(CHANNELS),)
        line.presented(figures.weights)
        assert {"Look-ahead", "Listening"} <= {stage.title for stage in figures.stages}
        script = line.recorded()
    finally:
        line.close()
    assert script is not None
    assert script.sound is not None
    assert script.sound.seconds == pytest.approx(1.0, abs=0.15)
    assert script.tracker is not None
    assert len(script.tracker) == pytest.approx(60, abs=9)
