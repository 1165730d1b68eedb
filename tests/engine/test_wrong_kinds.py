"""Arguments of a wrong kind, at every public verb: one sentence that names the argument."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import polyorama as po
from polyorama.core.arguments import check_number, check_whole, said
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.formats import write_splats
from polyorama.verbs.film import render_frames
from tests.engine.splat_samples import sample_cloud

if TYPE_CHECKING:
    from collections.abc import Callable

CAMERA = po.Camera.look_at((0, 0, -5), (0, 0, 0), size=(16, 12))
CLOUD = sample_cloud(10, 0)
DOCUMENT = po.Document.of([CLOUD], ["cloud"])
WALK = f"{Path(__file__).with_name('lab_samples.py')}:Walk"
PICTURE = np.zeros((4, 6, 3), np.uint8)

EYES = ((0, 0, -5), (0, 0, 0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: po.Camera.look_at(*EYES, fov="45"), "'fov' must be a number, not '45'"),
        (lambda: po.Camera.look_at(*EYES, fov=[1, 2]), "'fov' must be a number"),
        (lambda: po.Camera.look_at(*EYES, near="a"), "'near' must be a number"),
        (lambda: po.Camera.look_at(*EYES, far=None), "'far' must be a number"),
        (lambda: po.Camera.orthographic(*EYES, height_in_world="2"), "'height_in_world' must be a"),
        (lambda: po.Camera(np.eye(4), "1", 1, 1, 1, 9, 9), "'fx' must be a number"),
        (lambda: po.Camera("abc", 1, 1, 1, 1, 9, 9), r"shape \(4, 4\), got 'abc'"),
        (lambda: CAMERA.resized("a", 3), "two whole numbers"),
        (lambda: po.render(CLOUD, CAMERA), "'document' must be a Document.*not a SplatCloud"),
        (lambda: po.render("a.ply"), "'document' must be a Document"),
        (lambda: po.render(DOCUMENT, "front"), "'camera' must be a Camera, not 'front'"),
        (lambda: po.render(DOCUMENT, size="32x24"), "two whole numbers"),
        (lambda: po.render(DOCUMENT, size=5), "two whole numbers"),
        (lambda: po.render(DOCUMENT, outputs="rgba8"), "'outputs' must be a list of names"),
        (lambda: po.render(DOCUMENT, outputs=None), "'outputs' must be a list of names"),
        (lambda: po.render(DOCUMENT, background=5), "'background' must be a colour"),
        (lambda: po.render(DOCUMENT, constants=5), "'constants' must be a preset"),
        (lambda: po.render(DOCUMENT, limit="a"), "'limit' must be a whole number"),
        (lambda: po.render(DOCUMENT, filming="dof"), "'filming' must be a Filming"),
        (lambda: list(render_frames(CLOUD, [CAMERA])), "'document' must be a Document"),
        (lambda: list(po.turntable(None)), "'document' must be a Document"),
        (lambda: list(po.turntable(DOCUMENT, "a")), "'seconds' must be a number"),
        (lambda: list(po.turntable(DOCUMENT, 1, 1, "a")), "two whole numbers"),
        (lambda: list(po.turntable(DOCUMENT, camera="a")), "'camera' must be a Camera"),
        (lambda: po.render(DOCUMENT, time=math.nan), "'time' must be seconds, not nan"),
        (lambda: list(render_frames(DOCUMENT, [CAMERA], time=math.inf)), "'time' must be seconds"),
        (lambda: list(po.turntable(DOCUMENT, time=math.nan)), "'time' must be seconds"),
        (lambda: po.save(DOCUMENT, "b.ply", time=math.nan), "'time' must be seconds"),
        (lambda: po.export(DOCUMENT, "b.ply", time=math.nan), "'time' must be seconds"),
        (lambda: po.open(None), "'path' must be a text or a path, not None"),
        (lambda: po.open(["a", "b"]), "'path' must be a text or a path"),
        (lambda: po.open("a.obj", surfels="a"), "'surfels' must be a whole number"),
        (lambda: po.open("a.ply", up="y"), "up direction must be three"),
        (lambda: po.inspect(5), "'path' must be a text or a path"),
        (lambda: po.read_cameras(None), "'path' must be a text or a path"),
        (lambda: po.write_cameras(None, [CAMERA]), "'path' must be a text or a path"),
        (lambda: po.write_image(None, PICTURE), "'path' must be a text or a path"),
        (lambda: po.write_image("a.png", None), "Frame or an array of uint8, not None"),
        (lambda: po.write_image("a.jpg", PICTURE, quality="a"), "'quality' must be a number"),
        (lambda: po.write_image("a.png", PICTURE, text="a"), "'text' must be words by key"),
        (lambda: po.write_video(None, [PICTURE]), "'path' must be a text or a path"),
        (lambda: po.write_video("a.mp4", 5), "'frames' must be frames or arrays, not 5"),
        (lambda: po.write_video("a.mp4", "abc"), "'frames' must be frames or arrays"),
        (lambda: po.write_video("a.mp4", [PICTURE], quality="a"), "'quality' must be a number"),
        (lambda: po.write_video("a.mp4", [PICTURE], preset="zzz"), "no preset 'zzz'; choose ultra"),
        (lambda: po.convert(None, "b.ply"), "'inputs' must be a path or several, not None"),
        (lambda: po.convert("a.ply", None), "'output' must be a text or a path"),
        (lambda: po.convert("a.ply", "b.ply", ["a"]), "'actions' must hold edits"),
        (lambda: po.experiment(5), "'name' must be the id of an experiment"),
        (lambda: po.experiment(WALK, rivals="fair"), "'rivals' must be a list of ids, not 'fair'"),
        (lambda: po.experiment(WALK, rivals=5), "'rivals' must be a list of ids"),
        (lambda: po.experiment(WALK, paintings=5), "'paintings' must be arrays by canvas"),
        (lambda: po.run_experiment(5), "'experiment' must be an experiment or its id"),
        (lambda: po.run_experiment(WALK, steps="a"), "'steps' must be a whole number"),
        (lambda: po.run_experiment(WALK, every=1.5), "'every' must be a whole number"),
        (lambda: po.run_experiment(WALK, seed=None), "'seed' must be a whole number"),
        (lambda: po.run_experiment(WALK, folder=5), "'path' must be a text or a path"),
        (lambda: po.run_experiment(WALK, changes=5), r"'changes' must be a list of \(step, name, "),
        (lambda: po.run_experiment(WALK, changes=[5]), r"A change is \(step, name, value\), not 5"),
        (lambda: po.run_experiment(WALK, changes=[(1, "drift")]), "A change is"),
        (lambda: po.open_run(5), "'path' must be a text or a path"),
        (lambda: po.sweep(5), "'experiment' must be the id of an experiment"),
        (lambda: po.sweep(po.experiment(WALK)), "'experiment' must be the id of .*, not a Walk"),
        (lambda: po.sweep(WALK, seeds=2.5), "'seeds' must be a whole number"),
        (lambda: po.sweep(WALK, seeds=None), "'seeds' must be a whole number"),
        (lambda: po.sweep(WALK, parameter="drift", values=1), "'values' must be a list of values"),
        (lambda: po.sweep(WALK, params=5), "'params' must be values by name"),
        (lambda: po.sweep(WALK, processes="a"), "'processes' must be a whole number"),
        (lambda: po.claims(5), "'name' must be the id of an experiment"),
        (lambda: po.run_experiment(WALK, steps=1).export(5), "'path' must be a text or a path"),
        (
            lambda: po.run_experiment(WALK, steps=1).export("a.png", views="a"),
            "'views' must be a list of ids, not 'a'",
        ),
    ],
)
def test_wrong_kinds_are_named(
    call: Callable[[], object],
    words: str,
    tmp_path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_splats(CLOUD, "a.ply")
    with pytest.raises(UsageError, match=words):
        call()
    assert [path.name for path in tmp_path.iterdir()] == ["a.ply"]
    assert capfd.readouterr() == ("", "")


def test_a_zero_byte_in_a_name_is_spelled_out() -> None:
    for call in (po.open, po.inspect, po.read_cameras):
        with pytest.raises(FileFormatError) as caught:
            call("a\0b.ply")
        assert str(caught.value) == r"No name of a file holds a zero byte: a\x00b.ply"
    with pytest.raises(OutputError, match=r"p\\x00\.png"):
        po.write_image("p\0.png", PICTURE)


@pytest.mark.parametrize("value", [1, 1.5, np.float32(2), np.int64(3), np.float64("nan")])
def test_numbers_of_all_kinds_are_numbers(value: float) -> None:
    check_number(value, "it")
    if isinstance(value, int | np.integer):
        check_whole(value, "it")
    else:
        with pytest.raises(UsageError, match="'it' must be a whole number"):
            check_whole(value, "it")


@pytest.mark.parametrize("value", [True, "1", None, [1.0], 1j, np.bool_(False)])
def test_what_is_no_number_is_refused(value: object) -> None:
    for check in (check_number, check_whole):
        with pytest.raises(UsageError, match="The argument 'it' must be a"):
            check(value, "it")


def test_large_values_are_not_printed() -> None:
    assert said("short") == "'short'"
    assert said("x" * 61) == "a str"
    assert said(CLOUD) == "a SplatCloud"
    assert said(np.zeros(3)) == "a ndarray"
