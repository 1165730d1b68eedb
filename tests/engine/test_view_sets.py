"""Pictures from all round with their cameras, which a fit takes as they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.io.cameras import read_cameras
from polyorama.io.formats import write_splats
from polyorama.io.image import read_text
from polyorama.render.paths import sphere
from polyorama.verbs.view_sets import view_set
from polyorama.vision.fit.load import load_dataset
from tests.engine.fakes import DotRasterizer, ball, ball_document, dots

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["dots"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dots: DotRasterizer) -> Path:
    write_splats(ball(300), tmp_path / "ball.splat")
    monkeypatch.setattr("polyorama.cli.DRAWING", frozenset())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(*words: str) -> int:
    return main(["render", "ball.splat", *words])


@pytest.mark.parametrize(
    ("pattern", "cameras"),
    [("set/images/####.png", "set/transforms.json"), ("flat/v#.jpg", "flat/transforms.json")],
)
def test_a_set_is_what_a_fit_begins_with(
    folder: Path, pattern: str, cameras: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render("--views", "9", "--size", "64x48", "-o", pattern) == 0
    place = folder / cameras
    assert f"polyorama fit {place.parent.name} " in capsys.readouterr().out
    dataset = run(load_dataset(place.parent, hold_out=3))
    assert (len(dataset.views), len(dataset.held_out)) == (6, 3)
    found = {shot.name: shot for shot in (*dataset.views, *dataset.held_out)}
    for shot in found.values():
        view = shot.camera
        assert (view.width, view.height) == (64, 48)
        middle = view.viewmat[:3, 3]
        assert np.abs(middle[:2] / middle[2]).max() < 0.05
        assert shot.pixels.max() > 60
    # The very picture that the camera in the file takes.
    last = read_cameras(place)[-1]
    name = max(found)
    again = folder / "again.json"
    again.write_text(json.dumps(json.loads(place.read_text())))
    assert render("--cameras", str(again), "--frames", "8", "-o", "one.png") == 0
    assert np.allclose(last.viewmat, found[name].camera.viewmat)
    assert "--views 9" in json.loads(place.read_text())["polyorama"]
    assert "--views 9" in str(read_text(place.parent / name))
    # Made again in place, but never over another's cameras.
    assert render("--views", "9", "--size", "64x48", "-o", pattern, "--resume") == 0
    place.write_text('{"frames": []}')
    assert render("--views", "9", "--size", "64x48", "-o", pattern) == 2
    assert "another folder" in capsys.readouterr().err
    assert place.read_text() == '{"frames": []}'


def test_eyes_stand_above_the_ground_where_up_is_known() -> None:
    document = ball_document()
    for up, lowest in (((0.0, -1.0, 0.0), 0.0), (None, -0.9)):
        views = view_set(document, 40, size=(50, 50), up=up)
        heights = -np.array([view.position[1] for view in views]) / np.linalg.norm(
            views[0].position
        )
        assert heights.min() > lowest
        assert heights.max() > 0.8
        assert (heights.min() < -0.5) == (up is None)
    cloud = replace(ball(), up=(0.0, 0.0, 1.0))
    known = view_set(type(document).of([cloud], ["ball"]), 40, size=(50, 50))
    assert min(view.position[2] for view in known) > 0.0


def test_the_whole_subject_is_in_every_picture() -> None:
    document = ball_document()
    points = document.nodes[0].splats.means
    for view in view_set(document, 12, size=(80, 50), fov=30):
        x, y, z = (points @ view.viewmat[:3, :3].T + view.viewmat[:3, 3]).T
        inside = (np.abs(view.fx * x / z) < 40) & (np.abs(view.fy * y / z) < 25)
        assert inside.mean() > 0.97
        assert (np.abs(view.fy * y / z) > 18).any()
        assert view.fov == pytest.approx(30)


def test_views_are_spread_evenly() -> None:
    first = Camera.look_at((0, 0, -3), (0, 0, 1), size=(10, 10))
    eyes = np.array([view.position for view in sphere(first, (0, 0, 1), (0, -1, 0), 60)])
    away = (eyes - (0, 0, 1)) / 4.0
    assert np.allclose(np.linalg.norm(away, axis=1), 1.0)
    near = np.sort(np.arccos(np.clip(away @ away.T, -1, 1)), axis=1)[:, 1]
    assert near.min() > 0.6 * near.max()


def test_a_distance_can_be_given(folder: Path) -> None:
    words = ["--views", "4", "--size", "20x20", "--eye", "0,0,-7", "--target", "0,0,0"]
    assert render(*words, "-o", "set/#.png") == 0
    for view in read_cameras(folder / "set/transforms.json"):
        assert np.linalg.norm(view.position) == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "a.png"], "set/images/####.png"),
        (["-o", "a.mp4"], "set/images/####.png"),
        (["--exr", "#.exr"], "set/images/####.png"),
        (["-o", "#.png", "--frames", "1:2"], "--views and --frames contradict"),
        (["-o", "#.png", "--equirect"], "--views and --equirect contradict"),
        (["-o", "#.png", "--turntable", "2"], "--views and --turntable contradict"),
    ],
)
def test_what_is_no_set_is_told(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render("--views", "5", *words) == 2
    assert said in capsys.readouterr().err


def test_no_views_are_no_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render("--views", "0", "-o", "#.png") == 2
    assert "0 views" in capsys.readouterr().err
    with pytest.raises(UsageError, match="at its target"):
        sphere(Camera.look_at((0, 0, -3), (0, 0, 1), size=(9, 9)), (0, 0, -3), (0, -1, 0), 3)
