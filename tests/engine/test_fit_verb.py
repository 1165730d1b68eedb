"""`polyorama fit` and `po.fit`: from files to a file, films, stopping, and what is told."""

from __future__ import annotations

import json
import shutil
import signal
import sys

import av
import numpy as np
import pytest
from PIL import Image

import polyorama as po
from polyorama.cli import main
from polyorama.cli.stopping import stoppable
from polyorama.core import memory
from polyorama.core.jobs import Progress, run
from polyorama.core.types import Camera
from polyorama.errors import OutputError, UnavailableError
from polyorama.io.formats import read_splats, write_splats
from polyorama.render.rasterizers import Availability
from polyorama.verbs.bench_fit import bench_fit
from polyorama.verbs.fit import fit_job, preview_cameras
from polyorama.vision.fit.dataset import Dataset, View
from polyorama.vision.fit.load import load_dataset
from polyorama.vision.fit.optimise import evaluate
from polyorama.vision.fit.settings import FitSettings
from polyorama.vision.fit.start import first_guess
from tests.engine.capture_samples import (
    dataset_of,
    photograph,
    sphere_cameras,
    write_colmap_binary,
    write_colmap_text,
    write_inria,
    write_pictures,
    write_transforms,
)
from tests.engine.test_fit import blob

QUICK = ["--steps", "60", "--sh-degree", "0"]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder of pictures with a transforms.json."""
    folder = tmp_path_factory.mktemp("capture")
    cameras = sphere_cameras(9, 48, distance=3.4)
    write_transforms(folder, write_pictures(folder, blob(), cameras), cameras)
    return folder


@pytest.fixture
def colmap(tmp_path):
    """A COLMAP folder whose points are the scene's own."""
    cloud, cameras = blob(), sphere_cameras(9, 48, distance=3.4)
    names = write_pictures(tmp_path, cloud, cameras)
    write_colmap_binary(
        tmp_path / "sparse" / "0", names, cameras, cloud.means,
        np.clip(255 * cloud.colors, 0, 255),
    )  # fmt: skip
    return tmp_path


def test_a_scene_from_a_folder(pictures, tmp_path, capsys):
    output = tmp_path / "scene.ply"
    assert main(["fit", str(pictures), "-o", str(output), *QUICK]) == 0
    said = capsys.readouterr().err
    assert "splats from 7 pictures" in said
    assert "dB and SSIM" in said
    assert "on 2 held-out pictures" in said
    assert len(read_splats(output)) > 100
    assert [path.name for path in tmp_path.iterdir()] == ["scene.ply"]


@pytest.mark.parametrize("form", ["binary", "text", "inria"])
def test_every_form_of_capture_fits(form, tmp_path):
    cloud, cameras = blob(), sphere_cameras(8, 48, distance=3.4)
    names = write_pictures(tmp_path, cloud, cameras)
    if form == "inria":
        write_inria(tmp_path, names, cameras)
    else:
        write = write_colmap_binary if form == "binary" else write_colmap_text
        write(tmp_path / "sparse", names, cameras, cloud.means, 255 * cloud.colors.clip(0, 1))
    done = po.fit(tmp_path, settings=po.FitSettings(steps=100, sh_degree=0))
    assert done.scores.psnr > 19
    assert (done.fitted, done.held_out) == (7, 1)


def test_points_of_the_reconstruction_are_the_start(colmap):
    dataset = run(load_dataset(colmap))
    guess = first_guess(dataset, FitSettings())
    assert np.allclose(guess.means, blob().means, atol=1e-6)
    assert evaluate(guess, dataset.views).psnr > 9
    assert len(first_guess(dataset, FitSettings(), random=77)) == 77


def test_a_file_as_start_another_format_and_mcmc(pictures, tmp_path):
    write_splats(blob(), tmp_path / "start.spz")
    status = main(
        ["fit", str(pictures), "-o", str(tmp_path / "scene.spz"), "--steps", "20", "--strategy",
         "mcmc", "--start", str(tmp_path / "start.spz"), "--max-splats", "450", "--antialiased"]
    )  # fmt: skip
    assert status == 0
    scene = read_splats(tmp_path / "scene.spz")
    assert 300 < len(scene) <= 450
    assert scene.model == "antialiased"


def test_the_film_shows_the_fit_from_the_start_on(pictures, tmp_path):
    film = tmp_path / "fit.mp4"
    assert main(
        ["fit", str(pictures), "-o", str(tmp_path / "a.ply"), *QUICK, "--preview", str(film)]
    ) == 0  # fmt: skip
    with av.open(str(film)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        said = container.metadata["comment"]
    assert len(frames) == 60 + 1 + 30
    assert said.endswith(f": polyorama fit {pictures.name} --steps 60 --sh-degree 0")
    assert frames[0].shape == (480, 480, 3)
    # It begins as a haze and ends with the ball's many colours.
    assert frames[-1][160:320, 160:320].std() > 1.3 * frames[0][160:320, 160:320].std()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_hand_and_resumed_is_as_never_stopped(
    number, status, pictures, tmp_path, monkeypatch, capsys
):
    whole, broken = tmp_path / "whole.ply", tmp_path / "broken.ply"
    command = ["fit", str(pictures), *QUICK, "-o"]
    assert main([*command, str(whole)]) == 0
    shown = []

    def pressing(job, **_):
        try:
            while True:
                progress = next(job)
                if progress.note.startswith("Fitting") and progress.done == 23:
                    shown.append(progress)
                    signal.raise_signal(number)
        except StopIteration as stop:
            return stop.value

    with monkeypatch.context() as patch:
        patch.setattr("polyorama.cli.progress.show", pressing)
        assert main([*command, str(broken)]) == status
    assert shown
    assert "run the same command with --resume to go on" in capsys.readouterr().err
    assert not broken.exists()
    assert (tmp_path / "broken.ply.fit").exists()
    seen = []

    def watching(job, **_):
        try:
            while True:
                seen.append(next(job))
        except StopIteration as stop:
            return stop.value

    with monkeypatch.context() as patch:
        patch.setattr("polyorama.cli.progress.show", watching)
        assert main([*command, str(broken), "--resume"]) == 0
    # The bar begins where the fit had come to.
    assert next(p.done for p in seen if p.note.startswith("Fitting")) == 23
    assert broken.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "broken.ply.fit").exists()


def test_the_compiler_is_not_waited_for(pictures, tmp_path, monkeypatch):
    """What is compiled is compiled before the fit, where Ctrl-C ends at once."""
    heard = []

    def compiling():
        heard.append(signal.getsignal(signal.SIGINT))
        raise KeyboardInterrupt

    monkeypatch.setattr("polyorama.verbs.warm._fit_step", compiling)
    assert main(["fit", str(pictures), *QUICK, "-o", str(tmp_path / "a.ply")]) == 130
    assert "ending_at_once" in heard[0].__qualname__
    assert not list(tmp_path.iterdir())


def test_stopped_while_measuring_the_scene_is_there(pictures, tmp_path, monkeypatch, capsys):
    scene = tmp_path / "scene.ply"
    measured = []

    def pressing(job, **_):
        try:
            while True:
                progress = next(job)
                if progress.note == "Measuring":
                    measured.append(progress.done)
                    signal.raise_signal(signal.SIGINT)
        except StopIteration as stop:
            return stop.value

    monkeypatch.setattr("polyorama.cli.progress.show", pressing)
    assert main(["fit", str(pictures), *QUICK, "-o", str(scene)]) == 130
    # Not all of them are waited for.
    assert measured == [0]
    assert f"the scene is written: {scene}" in capsys.readouterr().err
    assert len(read_splats(scene)) > 100
    assert [path.name for path in tmp_path.iterdir()] == ["scene.ply"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_heard_after_the_step_and_by_who_listened_before(number):
    heard = []
    closed = []

    def job():
        try:
            for step in range(9):
                if step == 3:
                    signal.raise_signal(number)
                yield Progress(step, 9)
        finally:
            closed.append(step)

    before = signal.signal(number, lambda *_: heard.append(tuple(closed)))
    try:
        with pytest.raises(KeyboardInterrupt):
            run(stoppable(job()))
        assert closed == [3]
        assert heard == [(3,)]
        signal.signal(number, signal.SIG_IGN)
        run(stoppable(job()))
        assert closed == [3, 8]
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_a_named_checkpoint_stays(pictures, tmp_path):
    kept = tmp_path / "kept.fit"
    job = fit_job(pictures, tmp_path / "a.ply", settings=FitSettings(steps=9), checkpoint=kept)
    for progress in job:
        if progress.note.startswith("Fitting"):
            break
    job.close()
    assert kept.exists()


def test_masks_are_found_by_name(pictures, tmp_path):
    mask = np.full((48, 48), 255, np.uint8)
    mask[:24] = 0
    Image.fromarray(mask).save(tmp_path / "000.png")
    Image.fromarray(mask).save(tmp_path / "001.png.png")
    dataset = run(load_dataset(pictures, masks=tmp_path, hold_out=0))
    assert [view.mask is not None for view in dataset.views] == [True, True] + [False] * 7
    assert dataset.views[0].mask.sum() == 24 * 48


def test_a_scene_is_written_even_if_nothing_of_the_held_out_pictures_counts(pictures, tmp_path):
    for number in (0, 8):
        Image.new("L", (48, 48)).save(tmp_path / f"{number:03}.png")
    done = po.fit(pictures, tmp_path / "a.ply", masks=tmp_path, settings=FitSettings(steps=2))
    assert done.scores is None
    assert (tmp_path / "a.ply").exists()


def test_captures_that_memory_cannot_hold_are_refused_before_they_are_read(pictures, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 5 * 9 * 48 * 48 - 1)
    with pytest.raises(po.PolyoramaError, match=r"not enough memory.*9 pictures of 20,736 pixels"):
        run(load_dataset(pictures))
    assert len(run(load_dataset(pictures, downscale=2)).views) == 7


def test_masks_that_leave_nothing_are_told(pictures, tmp_path, caplog):
    for number in range(3):
        Image.new("L", (48, 48)).save(tmp_path / f"{number:03}.png")
    run(load_dataset(pictures, masks=tmp_path))
    assert "Nothing counts of 2 of 7 pictures" in caplog.text
    assert "images/001.png, images/002.png" in caplog.text
    for number in range(9):
        Image.new("RGBA", (48, 48), (255, 255, 255, 0)).save(tmp_path / f"{number:03}.png")
    with pytest.raises(po.PolyoramaError, match=f"Nothing counts of any picture.*{tmp_path}"):
        run(load_dataset(pictures, masks=tmp_path))


def test_a_camera_far_from_the_others_is_named(pictures, tmp_path, caplog):
    run(load_dataset(pictures))
    assert "stands" not in caplog.text
    shutil.copytree(pictures, tmp_path / "far")
    value = json.loads((pictures / "transforms.json").read_text())
    value["frames"][4]["transform_matrix"][0][3] = 9e11
    (tmp_path / "far" / "transforms.json").write_text(json.dumps(value))
    run(load_dataset(tmp_path / "far"))
    assert "The camera of 'images/004.png' stands 3e+11 times as far away" in caplog.text


def test_an_earlier_checkpoint_is_not_taken_for_this_run_s(pictures, tmp_path, monkeypatch, capsys):
    left = tmp_path / "scene.ply.fit"
    left.write_bytes(b"of an earlier run")

    def pressing(_job, **_):
        raise KeyboardInterrupt

    monkeypatch.setattr("polyorama.cli.fit.stoppable", pressing)
    assert main(["fit", str(pictures), *QUICK, "-o", str(tmp_path / "scene.ply")]) == 130
    assert "stopped; nothing was written" in capsys.readouterr().err
    assert left.read_bytes() == b"of an earlier run"


def test_a_scene_that_cannot_be_written_is_kept(pictures, tmp_path, monkeypatch, capsys):
    def refusing(_cloud, path):
        raise OutputError(f"The disk is full: {path}")

    command = ["fit", str(pictures), *QUICK, "-o", str(tmp_path / "scene.ply")]
    with monkeypatch.context() as patch:
        patch.setattr("polyorama.verbs.fit.write_splats", refusing)
        assert main(command) == 2
    said = capsys.readouterr().err
    assert "The disk is full" in said
    assert f"run the same command with --resume to go on: {tmp_path / 'scene.ply.fit'}" in said
    assert main([*command, "--resume"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["scene.ply"]


def test_downscaling_and_holding_out(pictures):
    dataset = run(load_dataset(pictures, downscale=3, hold_out=4))
    assert dataset.views[0].pixels.shape == (16, 16, 3)
    assert [view.name for view in dataset.held_out] == [f"images/{i:03}.png" for i in (0, 4, 8)]
    assert run(load_dataset(pictures, hold_out=0)).held_out == ()
    assert run(load_dataset(pictures, hold_out=10)).held_out == ()


def test_cameras_to_watch_with(pictures):
    dataset = run(load_dataset(pictures))
    cameras = preview_cameras(dataset, 8)
    assert {(c.width, c.height) for c in cameras} == {(480, 480)}
    centers = np.stack([camera.position for camera in cameras])
    assert np.abs(centers.mean(axis=0)[[0, 2]]).max() < 0.2
    assert np.linalg.norm(centers[0] - centers[4]) > 3
    rest = preview_cameras(dataset, 3, "images/002.png")
    assert np.array_equal(rest[0].viewmat, rest[2].viewmat)
    # Who stands on one side only sees a sway.
    front = [Camera.look_at((x, 0, -4), (0, 0, 0), size=(32, 24)) for x in (-0.5, 0, 0.5)]
    views = tuple(View("v", c, np.zeros((24, 32, 3), np.uint8)) for c in front)
    swaying = np.stack([c.position for c in preview_cameras(Dataset(views), 40)])
    assert (swaying[:, 2] < -3).all()


def test_the_device_is_asked_before_photographs_are_read(pictures, monkeypatch):
    read = []
    monkeypatch.setattr("polyorama.verbs.fit.load_dataset", lambda *a, **k: read.append(a))
    missing = Availability.missing("There is no NVIDIA driver; install it.")
    monkeypatch.setattr("polyorama.vision.fit.optimise.availability", lambda: missing)
    with pytest.raises(UnavailableError, match="no NVIDIA driver"):
        run(fit_job(pictures, device="cuda"))
    assert read == []


BAD = {
    "nothing there": (["fit", "nowhere", "-o", "a.ply"], "no such folder"),
    "no cameras": (["fit", "empty", "-o", "a.ply"], "no cameras"),
    "unknown output": (["fit", "capture", "-o", "a.doc"], "Cannot write this kind"),
    "no output folder": (["fit", "capture", "-o", "x/a.ply"], "its folder does not exist: x/a.ply"),
    "unknown film": (["fit", "capture", "-o", "a.ply", "--preview", "a.txt"], "this kind of film"),
    "two starts": (
        ["fit", "capture", "-o", "a.ply", "--random", "9", "--start", "a.ply"],
        "give one of them",
    ),
    "no start": (["fit", "capture", "-o", "a.ply", "--start", "b.ply"], "no such file"),
    "a folder as output": (["fit", "capture", "-o", "empty"], "this is a folder: empty"),
    "no name": (["fit", "capture", "-o", ""], "without a name"),
    "long name": (["fit", "capture", "-o", "x" * 300 + ".ply"], "File name too long"),
    "a folder as checkpoint": (
        ["fit", "capture", "-o", "a.ply", "--checkpoint", "empty"],
        "this is a folder: empty",
    ),
    "checkpoint over output": (
        ["fit", "capture", "-o", "a.ply", "--checkpoint", "./a.ply"],
        "cannot be one file",
    ),
    "film over checkpoint": (
        ["fit", "capture", "-o", "a.ply", "--checkpoint", "a.mp4", "--preview", "a.mp4"],
        "cannot be one file",
    ),
    "no film to see": (
        ["fit", "capture", "-o", "a.ply", "--preview-from", "images/000.png"],
        "ask for a film",
    ),
    "more than allowed": (
        ["fit", "capture", "-o", "a.ply", "--random", "9", "--max-splats", "8"],
        "begin with 9 splats where there may be 8",
    ),
    "bad seed": (["fit", "capture", "-o", "a.ply", "--seed", "-1"], "A seed of -1"),
    "no name of masks": (["fit", "capture", "-o", "a.ply", "--mask-dir", ""], "without a name"),
    "no masks": (["fit", "capture", "-o", "a.ply", "--mask-dir", "masks"], "folder of masks"),
    "strange masks": (["fit", "capture", "-o", "a.ply", "--mask-dir", "empty"], "None of these"),
    "bad colour": (["fit", "capture", "-o", "a.ply", "--background", "blueish"], "no colour"),
    "bad steps": (["fit", "capture", "-o", "a.ply", "--steps", "0"], "0 steps"),
    "bad random": (["fit", "capture", "-o", "a.ply", "--random", "0"], "begin with 0 splats"),
    "bad downscale": (["fit", "capture", "-o", "a.ply", "--downscale", "0"], "reduced 0 times"),
    "too small": (["fit", "capture", "-o", "a.ply", "--downscale", "99"], "too small"),
    "nothing to resume": (["fit", "capture", "-o", "a.ply", "--resume"], "no such file"),
    "bad device": (["fit", "capture", "-o", "a.ply", "--device", "tape"], "no device"),
    "bad film view": (
        ["fit", "capture", "-o", "a.ply", "--preview", "a.mp4", "--preview-from", "x"],
        "no picture 'x'",
    ),
    "one picture": (["fit", "one", "-o", "a.ply"], "There is one picture"),
    "apart": (["fit", "apart", "-o", "a.ply"], "in two of the pictures"),
    "wrong size": (["fit", "wrong", "-o", "a.ply"], "another shape"),
    "NaN": (["fit", "nan", "-o", "a.ply"], "pose with NaN"),
    "mixed": (["fit", "mixed", "-o", "a.ply"], "mixes text and binary"),
    "both": (["fit", "both", "-o", "a.ply"], "say which of them"),
}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Captures with everything that can be wrong with them."""
    root = tmp_path_factory.mktemp("bad")
    cameras = sphere_cameras(3, 24)
    names = None
    for name in ("capture", "one", "apart", "wrong", "nan", "mixed", "both"):
        names = write_pictures(root / name, blob(40), cameras)
        if name != "mixed":
            write_transforms(root / name, names, cameras)
    (root / "empty").mkdir()
    write_transforms(root / "one", names[:1], cameras[:1])
    apart = [
        Camera.look_at((9, 0, 0), (99, 0, 0), size=(24, 24), fov=10),
        Camera.look_at((-9, 0, 0), (-99, 0, 0), size=(24, 24), fov=10),
        Camera.look_at((0, 0, 9), (0, 0, 99), size=(24, 24), fov=10),
    ]
    write_transforms(root / "apart", names, apart)
    Image.new("RGB", (24, 12)).save(root / "wrong" / "images" / names[1])
    content = json.loads((root / "nan" / "transforms.json").read_text())
    content["frames"][1]["transform_matrix"][0][3] = float("nan")
    (root / "nan" / "transforms.json").write_text(json.dumps(content))
    for write in (write_colmap_binary, write_colmap_text):
        write(root / "mixed" / "sparse", names, cameras)
        write(root / "both" / "sparse", names, cameras)
    (root / "mixed" / "sparse" / "images.txt").unlink()
    (root / "mixed" / "sparse" / "cameras.bin").unlink()
    return root


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_done_is_told_in_one_sentence(case, room, monkeypatch, capsys):
    command, words = BAD[case]
    monkeypatch.chdir(room)
    assert main([*command, *([] if "--steps" in command else ["--steps", "2"])]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert said.count("\n") == 0
    assert not (room / "a.ply").exists()


def test_memory_that_runs_out_ends_with_2(pictures, tmp_path, monkeypatch, capsys):
    def failing(*_arguments, **_options):
        raise MemoryError

    monkeypatch.setattr("polyorama.vision.fit.optimise.rasterize", failing)
    assert main(["fit", str(pictures), "-o", str(tmp_path / "a.ply"), *QUICK]) == 2
    assert "Memory ran out" in capsys.readouterr().err


def test_the_benchmark_counts_and_measures(tmp_path):
    write_splats(blob(), tmp_path / "ball.ply")
    figures = run(bench_fit(tmp_path / "ball.ply", steps=20, views=12, size=32, repeats=1))
    assert figures["pictures"] == [10, 2]
    assert figures["held_out_db"] > 8
    for size in ("1280x720", "200x200"):
        assert figures[f"backward_over_forward_{size}"] > 0
    assert figures["steps_per_s"] > 0
    with pytest.raises(po.PolyoramaError, match="12 pictures"):
        run(bench_fit(tmp_path / "ball.ply", views=3))


def plant_pictures(shared_data):
    cloud = read_splats(shared_data / "splats" / "plant.splat")
    bounds = cloud.bounds()
    cameras = sphere_cameras(30, 200, center=bounds.center, distance=1.1 * bounds.diagonal)
    return cloud, dataset_of(cloud, cameras, hold_out=6)


def test_the_plant_grows_from_random_splats(shared_data):
    _, dataset = plant_pictures(shared_data)
    assert len(dataset.held_out) == 5
    settings = FitSettings(steps=60, sh_degree=0)
    done = po.fit(dataset, settings=settings)
    assert done.scores.psnr > 22


@pytest.mark.study
def test_the_plant_reaches_27_decibels_on_pictures_it_never_saw(shared_data):
    """The promised figure, at the default settings but for 3,000 steps."""
    import time

    _, dataset = plant_pictures(shared_data)
    begin = time.process_time()
    done = po.fit(dataset, settings=FitSettings(steps=3000))
    spent = time.process_time() - begin
    print(f"{done.scores.psnr:.2f} dB, {spent:.0f} s of processor time", file=sys.stderr)  # noqa: T201
    assert done.scores.psnr > 27
    # Ten minutes on two cores.
    assert spent < 1200


def test_the_garden_s_points_are_a_start(shared_data):
    """Three calibrated cameras and 138,766 points; drawn, they show the table on the lawn."""
    with np.load(shared_data / "points" / "garden_points.npz") as data:
        points, colors = data["means3d"], data["colors"]
        viewmats, intrinsics = data["viewmats"], data["Ks"]
        width, height = int(data["width"]), int(data["height"])
    cameras = [
        Camera(v, k[0, 0], k[1, 1], k[0, 2], k[1, 2], width, height).resized(162, 105)
        for v, k in zip(viewmats, intrinsics, strict=True)
    ]
    views = tuple(View("v", c, np.zeros((105, 162, 3), np.uint8)) for c in cameras)
    scale = 255.0 if colors.max() > 1 else 1.0
    dataset = Dataset(views, points=points, colors=colors / scale)
    guess = first_guess(dataset, FitSettings())
    assert len(guess) == len(points)
    for camera in cameras:
        picture = photograph(guess, camera).astype(float)
        assert (picture.max(axis=2) > 10).mean() > 0.5
        # The lawn is green.
        assert picture[..., 1].mean() > picture[..., 2].mean()
