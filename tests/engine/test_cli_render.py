"""`polyorama render`: from words to files, and every contradiction in one sentence."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest
from PIL import Image

from polyorama.cli import main
from polyorama.cli.arguments import accept_negative_lists, color, size, vector
from polyorama.core.types import Camera
from polyorama.io.formats import write_splats
from polyorama.io.project import write_project
from tests.engine.cli_samples import enter_scene
from tests.engine.fakes import DotRasterizer, ball, ball_document, dots

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["dots"]


@pytest.fixture
def scene(tmp_path: Path, dots: DotRasterizer, monkeypatch: pytest.MonkeyPatch) -> DotRasterizer:
    """A folder to work in, with ball.splat and cams.json; everything is drawn with dots."""
    enter_scene(tmp_path, monkeypatch)
    return dots


def render(*words: str) -> int:
    return main(["render", "ball.splat", *words])


def shape(path: str) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def frame_count(path: str) -> int:
    with av.open(path) as container:
        return sum(1 for _ in container.decode(video=0))


def outputs(tmp_path: Path) -> list[str]:
    given = {"ball.splat", "cams.json"}
    return sorted(entry.name for entry in tmp_path.iterdir() if entry.name not in given)


@pytest.mark.parametrize("ending", ["png", "jpg", "jpeg", "webp", "PNG"])
def test_stills(scene: DotRasterizer, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert render("-o", f"a.{ending}", "--size", "64x48") == 0
    assert shape(f"a.{ending}") == (64, 48)
    assert f"Wrote a.{ending} (64x48 in " in capsys.readouterr().out


def test_the_picture_says_how_it_was_made_without_folders(scene: DotRasterizer) -> None:
    path = os.path.abspath("ball.splat")
    words = ["--eye", "-1,-0.5,2", "--size", "32x24", "--background", "#fff", "--no-antialiased"]
    assert main(["render", path, "-o", "a.png", *words]) == 0
    with Image.open("a.png") as image:
        assert image.text["Comment"] == (
            "polyorama render ball.splat --size 32x24 --eye -1,-0.5,2 --background '#fff' "
            "--no-antialiased"
        )


def test_the_command_in_a_picture_makes_it_again(scene: DotRasterizer) -> None:
    os.rename("ball.splat", "a ball's.splat")
    words = ["--eye", "0.1234567890123,-1e-07,-2.718281828459045", "--fov", "33.333333333333336"]
    more = ["--size", "32x24", "--surfels", "1234", "--background", "0.1234567,0.5,0.25"]
    assert main(["render", "a ball's.splat", "-o", "a.png", *words, *more]) == 0
    with Image.open("a.png") as image:
        command, first = image.text["Comment"], np.asarray(image)
    program, *again = shlex.split(command)
    assert program == "polyorama"
    assert [word for word in words + more if word not in again] == []
    assert main([*again, "-o", "b.png"]) == 0
    with Image.open("b.png") as image:
        assert image.text["Comment"] == command
        assert np.array_equal(np.asarray(image), first)


@pytest.mark.parametrize("words", [["--eye", "-1,0,-2.5e0"], ["--eye=-1,0,-2.5"]])
def test_eyes_with_a_minus_sign(scene: DotRasterizer, words: list[str]) -> None:
    common = ["--target", "0,0,0", "--up", "-.1,-1,0", "--fov", "60", "--size", "40x30"]
    assert render("-o", "a.png", "--float", "a.npy", *words, *common) == 0
    from polyorama.verbs.film import render as draw

    camera = Camera.look_at((-1, 0, -2.5), (0, 0, 0), (-0.1, -1, 0), fov=60, size=(40, 30))
    document = ball_document()
    cloud = document.nodes[0].content
    assert cloud is not None
    meant = draw(document, camera, outputs=("rgba8",)).rgba8
    with Image.open("a.png") as image:
        # A .splat file rounds colours and positions a little.
        close = np.abs(np.asarray(image).astype(int) - meant[..., :3]).max(axis=2) < 16
    assert close.mean() > 0.95


def test_orthographic_views(scene: DotRasterizer) -> None:
    eye = ["--eye", "0,0,-5", "--target", "0,0,0", "--size", "40x40"]
    assert render("-o", "a.png", "--ortho", "2.2", *eye) == 0
    with Image.open("a.png") as image:
        rows, columns = np.nonzero(np.asarray(image).any(axis=2))
    assert np.ptp(rows) > 28
    assert np.ptp(columns) > 28
    assert render("-o", "b.png", "--ortho", "20", "--size", "40x40") == 0
    with Image.open("b.png") as image:
        assert np.ptp(np.nonzero(np.asarray(image).any(axis=2))[0]) < 6


@pytest.mark.parametrize(
    ("text", "pixel"),
    [("#ff8000", (255, 128, 0)), ("0,0.5,1", (0, 128, 255)), ("document", (0, 0, 0))],
)
def test_backgrounds(scene: DotRasterizer, text: str, pixel: tuple[int, ...]) -> None:
    assert render("-o", "a.png", "--size", "32x24", "--background", text) == 0
    with Image.open("a.png") as image:
        assert image.mode == "RGB"
        assert image.getpixel((0, 0)) == pixel


def test_transparent_pictures_and_arrays(scene: DotRasterizer) -> None:
    words = ["--size", "32x24", "--background", "transparent"]
    assert render("-o", "a.png", "--float", "c.npy", "--depth", "d.npy", *words) == 0
    with Image.open("a.png") as image:
        assert image.mode == "RGBA"
        assert image.getpixel((0, 0)) == (0, 0, 0, 0)
    floats, depth = np.load("c.npy"), np.load("d.npy")
    assert (floats.shape, floats.dtype) == ((24, 32, 4), np.float32)
    assert (depth.shape, depth.dtype) == ((24, 32), np.float32)
    assert np.array_equal(depth > 0, floats[..., 3] > 0)
    assert render("--float", "only.npy", "--size", "8x8") == 0
    assert render("-o", "e.png", "--depth", "e16.png", "--size", "8x8") == 0


def test_a_turntable_film(scene: DotRasterizer, capsys: pytest.CaptureFixture[str]) -> None:
    assert render("-o", "a.mp4", "--turntable", "1.5", "--fps", "12", "--size", "48x32") == 0
    assert frame_count("a.mp4") == 18
    assert "18 frames, 1.50 s of film" in capsys.readouterr().out
    part = ["--turntable", "1.5", "--fps", "12", "--size", "48x32", "--frames", "3:9:2"]
    assert render("-o", "b.mkv", *part) == 0
    assert frame_count("b.mkv") == 3


def test_cameras_from_a_file(scene: DotRasterizer, tmp_path: Path) -> None:
    assert render("-o", "a.mp4", "--cameras", "cams.json") == 0
    assert frame_count("a.mp4") == 6
    assert render("-o", "one.png", "--cameras", "cams.json", "--frames", "2") == 0
    assert shape("one.png") == (40, 30)
    assert (
        render("-o", "big.png", "--cameras", "cams.json", "--frames", "-1", "--size", "80x60") == 0
    )
    assert shape("big.png") == (80, 60)
    assert render("-o", "v/##.png", "--cameras", "cams.json", "--frames", "1::2") == 0
    assert sorted(entry.name for entry in (tmp_path / "v").iterdir()) == [
        "01.png",
        "03.png",
        "05.png",
    ]
    assert render("-o", "fly.mp4", "--cameras", "cams.json", "--fly", "2", "--fps", "10") == 0
    assert frame_count("fly.mp4") == 20


def test_several_files_and_projects(scene: DotRasterizer) -> None:
    saved = Camera.look_at((0, 0, -9), (0, 0, 0), size=(50, 40))
    write_project(ball_document(camera=saved, background=(0.0, 0.0, 1.0)), "show.poly")
    assert main(["render", "show.poly", "-o", "a.png"]) == 0
    assert shape("a.png") == (50, 40)
    with Image.open("a.png") as image:
        assert image.getpixel((0, 0)) == (0, 0, 255)
    assert main(["render", "ball.splat", "show.poly", "-o", "b.png", "--size", "32x24"]) == 0
    assert shape("b.png") == (32, 24)


def test_a_stopped_film_says_how_to_go_on(
    scene: DotRasterizer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["-o", "a.mp4", "--turntable", "3", "--fps", "12", "--size", "48x32"]
    scene.stop_after = 5
    assert render(*words) == 130
    assert "Nothing was written" in capsys.readouterr().err
    assert outputs(tmp_path) == []
    scene.drawn, scene.stop_after = 0, 30
    assert render(*words) == 130
    assert "24 of 36 frames are kept" in capsys.readouterr().err
    assert outputs(tmp_path) == ["a.mp4.parts"]
    scene.stop_after = None
    assert render(*words, "--resume") == 0
    assert "(24 of them from the run before)" in capsys.readouterr().out
    assert outputs(tmp_path) == ["a.mp4"]


def test_a_stopped_sequence_says_how_to_go_on(
    scene: DotRasterizer, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.stop_after = 4
    assert render("-o", "f/###.png", "--cameras", "cams.json") == 130
    assert "of 6 pictures are there, each whole; run the same" in capsys.readouterr().err
    scene.stop_after = None
    assert render("-o", "f/###.png", "--cameras", "cams.json", "--resume") == 0
    assert "from the run before" in capsys.readouterr().out


CONTRADICTIONS = [
    ([], "-o"),
    (["-o", "a.bmp"], "can: .png"),
    (["-o", "a.npy"], "--float"),
    (["-o", "a.png", "--turntable", "2"], "frames/####.png"),
    (["-o", "a.mp4"], "--turntable SECONDS"),
    (["-o", "a##.mp4", "--turntable", "1"], "one file"),
    (["-o", "a.mp4", "--turntable", "1", "--background", "transparent"], "transparency"),
    (["-o", "a.jpg", "--background", "transparent"], "transparency"),
    (["-o", "a.png", "--background", "pink"], "no colour"),
    (["-o", "a.png", "--background", "2,0,0"], "no colour"),
    (["-o", "a.png", "--cameras", "cams.json"], "6 cameras"),
    (["-o", "a.png", "--cameras", "cams.json", "--frames", "9"], "pick nothing"),
    (["-o", "a.png", "--cameras", "cams.json", "--eye", "0,0,1"], "contradict"),
    (["-o", "a.png", "--cameras", "cams.json", "--up", "0,1,0"], "contradict"),
    (["-o", "a.mp4", "--cameras", "cams.json", "--turntable", "1"], "contradict"),
    (["-o", "a.png", "--fov", "40", "--ortho", "1"], "contradict"),
    (["-o", "a.mp4", "--fly", "2"], "--cameras"),
    (["-o", "a.mp4", "--turntable", "0"], "0 seconds"),
    (["-o", "a.mp4", "--turntable", "1", "--fps", "fast"], "frame rate"),
    (["-o", "a.mp4", "--turntable", "1", "--float", "a.npy"], "sequence"),
    (["-o", "f/##.png", "--turntable", "1", "--float", "a.npy"], "####"),
    (["-o", "a.png", "--size", "20000x10"], "20000x10"),
    (["-o", "a.png", "--fov", "180"], "180"),
    (["-o", "a.png", "--eye", "0,0,0", "--target", "0,0,0"], "same point"),
    (["-o", "a.png", "--preset", "unreal"], "gsplat-1.5.3"),
    (["-o", "a.png", "--backend", "vulkan"], "vulkan"),
    (["-o", "a.jpg", "--quality", "0"], "1 to 100"),
    (["-o", "a.png", "--jobs", "0"], "--jobs"),
    (["-o", "a.png", "--resume"], "--resume"),
    (["-o", "missing/a.png"], "missing"),
    (["-o", "a" * 300 + ".png"], "too long"),
    (["-o", "a.npy.png", "--depth", "a.npy.png"], "one name"),
    (["-o", "a.png", "--depth", "./missing/../a.png"], "one name"),
    (["-o", "f/##.png", "--depth", "f/##.png"], "one name"),
    (["-o", "missing/a.mp4", "--turntable", "1"], "does not exist"),
]


@pytest.mark.parametrize(("words", "said"), CONTRADICTIONS)
def test_contradictions(
    scene: DotRasterizer, words: list[str], said: str,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    assert render(*words) == 2
    message = capsys.readouterr().err
    assert said in message
    assert message.startswith("polyorama: ")
    assert message.count("\n") == 1
    assert outputs(tmp_path) == []


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are letters there")
@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "mp4"])
def test_names_that_are_no_letters(
    scene: DotRasterizer, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = (os.fsdecode(b"bad\xff\n." + end.encode()) for end in ("splat", ending))
    os.rename("ball.splat", source)
    moving = ["--turntable", "0.1"] if ending == "mp4" else []
    assert main(["render", source, "-o", target, "--size", "32x24", *moving]) == 0
    assert os.path.isfile(target)
    assert capsys.readouterr().out.startswith(f"Wrote bad\\xff\\n.{ending} (")


def test_arguments() -> None:
    assert vector("-1,.5,2e3") == (-1.0, 0.5, 2000.0)
    assert size("1280X720") == (1280, 720)
    assert color("#0f0") == (0.0, 1.0, 0.0)
    for kind, text in [
        (vector, "1,2"), (vector, "1,2,nan"), (vector, "a,b,c"), (size, "1280"), (size, "-1x4"),
        (color, "#12345"), (color, "-0.1,0,0"), (color, "red"),
    ]:  # fmt: skip
        with pytest.raises(argparse.ArgumentTypeError):
            kind(text)


def test_negative_lists_do_not_hide_options() -> None:
    parser = argparse.ArgumentParser()
    accept_negative_lists(parser)
    parser.add_argument("--frames")
    parser.add_argument("-o")
    parser.add_argument("name")
    given = parser.parse_args(["--frames", "-24:", "-o", "x", "file"])
    assert (given.frames, given.o, given.name) == ("-24:", "x", "file")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_what_resume_takes(tmp_path: Path, jobs: str) -> None:
    write_splats(ball(), tmp_path / "ball.splat")
    command = [
        sys.executable, "-m", "polyorama", "render", "ball.splat", "-o", "a.mp4",
        "--turntable", "200", "--fps", "12", "--size", "32x24", "--jobs", jobs,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # A suite that a shell started in the background would hand down an ignored Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        end = time.monotonic() + 120
        while len(list(tmp_path.glob("a.mp4.parts/0*.mp4"))) < 2:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, message = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert "of 2400 frames are kept; run the same command with --resume" in message
    assert "Traceback" not in message
    assert {entry.name for entry in tmp_path.iterdir()} == {"ball.splat", "a.mp4.parts"}
    left = [entry.name for entry in (tmp_path / "a.mp4.parts").iterdir()]
    assert all(name.startswith("0") for name in left), left


def test_the_command_of_a_real_capture(shared_data: Path, tmp_path: Path) -> None:
    target = tmp_path / "plant.png"
    plant = shared_data / "splats" / "plant.splat"
    assert main(["render", str(plant), "--size", "96x96", "-o", str(target)]) == 0
    with Image.open(target) as image:
        pixels = np.asarray(image).astype(int)
        assert image.text["Comment"].startswith("polyorama render plant.splat")
    rows, _ = np.nonzero(pixels.max(axis=2) > 60)
    assert np.ptp(rows) > 60
    assert pixels[70:].max() > pixels[:30].max()
