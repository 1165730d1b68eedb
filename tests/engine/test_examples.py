"""The example scripts run without a screen, and the example projects show what they say."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from polyorama.io.project import read_project, read_thumbnail
from polyorama.lab.making import made
from tests.engine.lab_looks import assert_claim_holds, assert_stepped_alike

FOLDER = Path(str(resources.files("polyorama_assets"))) / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))
PROJECTS = sorted(FOLDER.glob("*.poly"))
WRITES = {
    "01_select_and_grade": ["graded.png", "graded.poly"],
    "02_animate_and_film": ["moonrise.mp4"],
    "03_clean_and_export": ["theatre.ply", "theatre.spz"],
    "04_record_and_replay": ["redecorate.json"],
    "05_my_walk": ["walk.csv", "walk.png"],
}
SAYS = {"01_select_and_grade": "selected", "04_record_and_replay": "the same pixels"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_run_as_they_are(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == WRITES[script.stem]
    assert all(path.stat().st_size > 100 for path in tmp_path.iterdir())
    assert SAYS.get(script.stem, "") in done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_say_what_they_do(script: Path) -> None:
    first = script.read_text("utf-8").splitlines()[0]
    assert first.startswith('"""')
    assert first.endswith('."""')


def test_the_walk_is_an_experiment_like_ours() -> None:
    source = f"{FOLDER / '05_my_walk.py'}:Walk"
    assert_stepped_alike(lambda: made(source, {"walkers": 3, "stride": 0.7}), (3, 10, 7))
    (claim,) = made(source).claims()
    assert_claim_holds(claim)


def test_there_are_three_small_projects() -> None:
    assert len(PROJECTS) == 3
    for path in PROJECTS:
        assert path.stat().st_size < 600_000
        assert read_thumbnail(path) is not None


def test_the_projects_show_what_they_are_called() -> None:
    stack, boat, crop = map(read_project, PROJECTS)
    kinds = {modifier.kind for node in stack.nodes for modifier in node.modifiers}
    assert {"grade", "fill", "crop", "wind"} <= kinds
    assert boat.timeline.tracks
    assert boat.timeline.cues
    assert boat.view_camera
    assert len(crop.selections) >= 3
    assert crop.selection
    assert any(modifier.kind == "crop" for node in crop.nodes for modifier in node.modifiers)
