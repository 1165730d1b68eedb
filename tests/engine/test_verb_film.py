"""Public verbs of pictures and films: framing, turntables, long renders that stop and go on."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest
from PIL import Image

from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.errors import OutputError, UnavailableError, UsageError
from polyorama.io.image import write_image
from polyorama.io.video import write_video
from polyorama.render.accumulate import Sampling
from polyorama.render.paths import orbit
from polyorama.render.post import Grade
from polyorama.render.shoot import Filming
from polyorama.render.stereo import Stereo
from polyorama.scene.document import Document
from polyorama.verbs import sequences
from polyorama.verbs.film import (
    frame_count,
    level,
    render,
    render_frames,
    render_job,
    subject_center,
    turntable,
    turntable_cameras,
    view_of,
)
from polyorama.verbs.sequences import (
    film_job,
    kept_frames,
    numbered,
    numbered_job,
    parts_folder,
)
from polyorama.verbs.workers import Look, work_in_processes
from tests.engine.exr_reader import read_exr
from tests.engine.fakes import DotRasterizer, DyingChunk, ball, ball_document, dots

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["dots"]


def frames_in(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def alike(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        # A neighbouring frame differs by 10 and more.
        assert np.abs(a.astype(int) - b).mean() < 3


def projected(camera: Camera, points: np.ndarray) -> np.ndarray:
    local = points @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
    return local[:, :2] / local[:, 2:] * (camera.fx, camera.fy) + (camera.cx, camera.cy)


def test_without_a_camera_the_subject_is_framed(dots: DotRasterizer) -> None:
    document = ball_document()
    frame = render(document, size=(64, 48))
    assert frame.rgba8 is not None
    assert frame.rgba8.shape == (48, 64, 4)
    rows, columns = np.nonzero(frame.rgba8[..., :3].any(axis=2))
    assert 2 < rows.min() < 10
    assert 37 < rows.max() < 46
    assert abs(columns.min() + columns.max() - 63) < 6


def test_a_saved_view_is_used_and_resized(dots: DotRasterizer) -> None:
    saved = Camera.look_at((0, 0, -6), (0, 0, 0), fov=20, size=(640, 480))
    document = ball_document(camera=saved)
    assert view_of(document) is saved
    assert view_of(document, size=(320, 240)).fov == pytest.approx(20)
    assert view_of(document, fov=60).fov == pytest.approx(60)
    assert np.array_equal(view_of(document, fov=60).viewmat, saved.viewmat)
    assert render(document).rgba8.shape == (480, 640, 4)
    assert render(document, saved, size=(32, 24)).rgba8.shape == (24, 32, 4)
    with pytest.raises(UsageError, match="field of view"):
        view_of(document, fov=200)


def test_backgrounds_and_outputs_reach_the_rasterizer(dots: DotRasterizer) -> None:
    document = ball_document(background=(1.0, 0.0, 0.0))
    assert render(document, size=(16, 16)).rgba8[0, 0].tolist() == [255, 0, 0, 255]
    clear = render(document, size=(16, 16), background=None, outputs=("color", "depth"))
    assert clear.rgba8 is None
    assert clear.color[0, 0].tolist() == [0, 0, 0, 0]
    assert clear.expected_depth is not None


def test_a_turntable_keeps_the_subject_in_the_picture_all_round() -> None:
    # A long bar off the middle of the world, lying in the scene's horizontal plane.
    cloud = ball(400)
    bar = replace(cloud, means=cloud.means * np.float32([4.0, 0.3, 0.6]) + np.float32([5, 2, -1]))
    document = Document.of([bar], ["bar"])
    cameras = turntable_cameras(document, 24, size=(160, 90))
    center = subject_center(document)
    assert np.linalg.norm(center - (5, 2, -1)) < 0.6
    spread = []
    for camera in cameras:
        at = projected(camera, bar.means.astype(float))
        inside = (at > -2).all(axis=1) & (at < (162, 92)).all(axis=1)
        assert inside.mean() > 0.99
        spread.append(np.ptp(at[:, 0]) / 160)
    assert max(spread) > 0.6
    distance = [np.linalg.norm(camera.position - center) for camera in cameras]
    assert np.ptp(distance) < 1e-9


def test_a_given_first_view_is_carried_round() -> None:
    document = ball_document()
    first = Camera.look_at((3, -1, 0), (0, 0, 0), size=(64, 48))
    cameras = turntable_cameras(document, 4, camera=first, target=(0, 0, 0), up=(0, -1, 0))
    assert np.array_equal(cameras[0].viewmat, first.viewmat)
    expected = orbit(first, (0, 0, 0), (0, -1, 0), [90.0])[0]
    assert np.abs(cameras[1].viewmat - expected.viewmat).max() < 1e-12


def test_turntable_is_lazy_and_counts_its_frames(dots: DotRasterizer) -> None:
    frames = turntable(ball_document(), seconds=0.5, fps=10, size=(32, 24))
    assert dots.drawn == 0
    assert next(frames).rgba8.shape == (24, 32, 4)
    assert dots.drawn == 1
    assert len(list(frames)) == 4


def test_five_lines_make_a_film(dots: DotRasterizer, tmp_path: Path) -> None:
    frames = turntable(ball_document(), seconds=1, fps=12, size=(48, 32))
    assert write_video(tmp_path / "ball.mp4", frames, fps=12) == 12
    assert len(frames_in(tmp_path / "ball.mp4")) == 12


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), 1e8])
def test_impossible_lengths_are_refused(seconds: float) -> None:
    with pytest.raises(UsageError):
        frame_count(seconds, 30)
    assert frame_count(0.001, 30) == 1
    assert frame_count(2, 29.97) == 60


def film_setup() -> tuple[Document, list[Camera]]:
    document = ball_document()
    return document, turntable_cameras(document, 50, size=(48, 32))


def test_a_film_of_parts_shows_every_frame_once(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mp4"
    steps = list(film_job(path, document, cameras, 12))
    assert [p.done for p in steps if p.note == "Rendering"] == list(range(51))
    assert list(tmp_path.iterdir()) == [path]
    write_video(tmp_path / "b.mp4", render_frames(document, cameras), 12)
    alike(frames_in(path), frames_in(tmp_path / "b.mp4"))


def test_a_stopped_film_goes_on(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mp4"
    run(film_job(path, document, cameras, 12))
    whole = frames_in(path)
    path.unlink()
    dots.drawn, dots.stop_after = 0, 30
    with pytest.raises(KeyboardInterrupt):
        run(film_job(path, document, cameras, 12))
    assert not path.exists()
    assert kept_frames(path) == 24
    # Also a part that a killed process left half-written is swept away.
    (parts_folder(path) / ".000002-12-left.mp4").write_bytes(b"half")
    dots.drawn, dots.stop_after = 0, None
    outcome = run(film_job(path, document, cameras, 12, resume=True))
    assert (outcome.frames, outcome.reused, dots.drawn) == (50, 24, 26)
    alike(frames_in(path), whole)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("left", [0, 100, 1000, 0.5, "flipped", "longer"])
def test_a_damaged_part_is_drawn_again(
    dots: DotRasterizer, tmp_path: Path, left: float | str
) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mp4"
    dots.stop_after = 30
    with pytest.raises(KeyboardInterrupt):
        run(film_job(path, document, cameras, 12))
    first, second = sorted(parts_folder(path).iterdir())
    data = first.read_bytes()
    if left == "flipped":
        at = data.index(b"mdat") + 4
        damaged = data[:at] + bytes(255 - byte for byte in data[at:])
    elif left == "longer":
        write_video(second, [np.zeros((32, 48, 3), np.uint8)] * 13, 12)
        damaged = data[:3000]
    else:
        damaged = data[: left if isinstance(left, int) else int(left * len(data))]
    first.write_bytes(damaged)
    dots.drawn, dots.stop_after = 0, None
    outcome = run(film_job(path, document, cameras, 12, resume=True))
    reused = 0 if left == "longer" else 12
    assert (outcome.reused, dots.drawn) == (reused, 50 - reused)
    write_video(tmp_path / "b.mp4", render_frames(document, cameras), 12)
    alike(frames_in(path), frames_in(tmp_path / "b.mp4"))


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_a_damaged_picture_is_drawn_again(dots: DotRasterizer, tmp_path: Path, ending: str) -> None:
    document, cameras = film_setup()
    pattern = tmp_path / f"####.{ending}"
    run(numbered_job(pattern, document, cameras[:3]))
    damaged = tmp_path / f"0001.{ending}"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: int(0.7 * len(whole))])
    assert run(numbered_job(pattern, document, cameras[:3], resume=True)).reused == 2
    assert damaged.read_bytes() == whole


def test_parts_of_another_film_are_not_taken(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mp4"
    changes = {
        "background": {"look": Look(background=(1.0, 1.0, 1.0))},
        "preset": {"look": Look(constants="inria")},
        "quality": {"quality": 50},
        "scene": {"document": Document.of([ball(seed=1)], ["ball"])},
        "camera": {"cameras": [c.resized(64, 32) for c in cameras]},
        "nothing": {},
    }
    for name, change in changes.items():
        shutil.rmtree(parts_folder(path), ignore_errors=True)
        dots.drawn, dots.stop_after = 0, 30
        with pytest.raises(KeyboardInterrupt):
            run(film_job(path, document, cameras, 12))
        dots.drawn, dots.stop_after = 0, None
        arguments = {"document": document, "cameras": cameras} | change
        outcome = run(film_job(path, fps=12, resume=True, **arguments))
        assert outcome.reused == (24 if name == "nothing" else 0), name


def test_without_resume_a_film_starts_anew(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    dots.stop_after = 30
    with pytest.raises(KeyboardInterrupt):
        run(film_job(tmp_path / "a.mp4", document, cameras, 12))
    dots.drawn, dots.stop_after = 0, None
    assert run(film_job(tmp_path / "a.mp4", document, cameras, 12)).reused == 0
    assert dots.drawn == 50


def test_stopped_before_the_first_part_nothing_stays(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    job = film_job(tmp_path / "a.mp4", document, cameras, 12)
    for _ in range(6):
        next(job)
    job.close()
    assert list(tmp_path.iterdir()) == []


def test_foreign_files_in_the_parts_folder_are_left_alone(
    dots: DotRasterizer, tmp_path: Path
) -> None:
    document, cameras = film_setup()
    folder = parts_folder(tmp_path / "a.mp4")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    run(film_job(tmp_path / "a.mp4", document, cameras, 12))
    assert [entry.name for entry in folder.iterdir()] == ["notes.txt"]


def test_two_processes_do_not_make_one_film(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mp4"
    first = film_job(path, document, cameras, 12)
    while len(list(parts_folder(path).glob("0*"))) < 1:
        next(first)
    kept = sorted(entry.name for entry in parts_folder(path).iterdir())
    for resume in (False, True):
        with pytest.raises(OutputError, match=r"Another process is making this film: .*a\.mp4"):
            run(film_job(path, document, cameras, 12, resume=resume))
    # What the first one has is not touched, and it goes on.
    assert set(kept) <= {entry.name for entry in parts_folder(path).iterdir()}
    assert run(first).frames == 50
    assert len(frames_in(path)) == 50
    assert list(tmp_path.iterdir()) == [path]
    # The lock of a process that was killed does not stand in the way.
    parts_folder(path).mkdir()
    (parts_folder(path) / ".lock").write_bytes(b"")
    assert run(film_job(path, document, cameras, 12)).frames == 50
    assert list(tmp_path.iterdir()) == [path]


def test_a_sequence_that_fails_leaves_no_empty_folders(
    dots: DotRasterizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, cameras = film_setup()

    def full(*_: object, **__: object) -> None:
        raise OutputError("Cannot write (No space left on device): a.png")

    (tmp_path / "mine").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(sequences, "write_image", full)
        for folder in ("new/deep", "mine"):
            with pytest.raises(OutputError, match="No space"):
                run(numbered_job(tmp_path / folder / "####.png", document, cameras[:2]))
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine"]
    run(numbered_job(tmp_path / "new" / "deep" / "####.png", document, cameras[:2]))
    assert len(list((tmp_path / "new" / "deep").iterdir())) == 2


def test_numbered_names() -> None:
    assert numbered("frames/####.png", 7).as_posix() == "frames/0007.png"
    assert numbered("a_##.png", 12345).as_posix() == "a_12345.png"
    for bad in ("a.png", "#_#.png", "##/a.png"):
        with pytest.raises(UsageError, match="####"):
            numbered(bad, 1)


def test_a_sequence_and_its_arrays(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    outcome = run(
        numbered_job(
            tmp_path / "new" / "####.png", document, cameras[:10:3], numbers=range(0, 10, 3),
            floats=tmp_path / "new" / "c####.npy", depth=tmp_path / "new" / "d####.png",
            look=Look(background=None), text={"Comment": "hello"},
        )
    )  # fmt: skip
    assert (outcome.frames, outcome.reused) == (4, 0)
    names = sorted(entry.name for entry in (tmp_path / "new").iterdir())
    numbers = ["0000", "0003", "0006", "0009"]
    assert names == [f"{n}.png" for n in numbers] + [f"c{n}.npy" for n in numbers] + [
        f"d{n}.png" for n in numbers
    ]
    with Image.open(tmp_path / "new" / "0003.png") as image:
        assert image.mode == "RGBA"
        assert image.text["Comment"] == "hello"
        shown = np.asarray(image)
    color = np.load(tmp_path / "new" / "c0003.npy")
    assert np.abs(shown[..., 3] / 255.0 - color[..., 3]).max() < 1e-6
    meant = render(document, cameras[3], background=None, outputs=("color",)).color
    assert np.array_equal(color, meant)


def test_a_stopped_sequence_goes_on(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    pattern = tmp_path / "####.webp"
    dots.stop_after = 7
    with pytest.raises(KeyboardInterrupt):
        run(numbered_job(pattern, document, cameras[:20]))
    there = sorted(tmp_path.iterdir())
    assert len(there) in (6, 7)
    # One picture of something else, and one that is no picture, are made again.
    write_image(there[0], np.zeros((32, 48, 3), np.uint8))
    there[1].write_bytes(b"broken")
    dots.drawn, dots.stop_after = 0, None
    outcome = run(numbered_job(pattern, document, cameras[:20], resume=True))
    assert outcome.reused == len(there) - 2
    assert dots.drawn == 20 - outcome.reused
    assert len(list(tmp_path.iterdir())) == 20
    again = run(numbered_job(pattern, document, cameras[:20], resume=True))
    assert again.reused == 20
    other = run(numbered_job(pattern, document, cameras[:20], resume=True, quality=30))
    assert other.reused == 0


@pytest.mark.parametrize("depth", ["d####.npy", "d####.png"])
def test_arrays_of_something_else_are_made_again(
    dots: DotRasterizer, tmp_path: Path, depth: str
) -> None:
    document, cameras = film_setup()
    other = Document.of([ball(seed=7)], ["other"])
    names = {"floats": tmp_path / "c####.npy", "depth": tmp_path / depth}

    def made(scene: Document, resume: bool = True, **arrays: Path) -> int:
        job = numbered_job(tmp_path / "####.png", scene, cameras[:4], resume=resume, **arrays)
        return run(job).reused

    assert made(other, resume=False, **names) == 0
    stale = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    # The pictures are now of another scene than the arrays beside them.
    assert made(document) == 0
    assert made(document, **names) == 0
    for path in tmp_path.iterdir():
        assert path.read_bytes() != stale[path.name]
    assert made(document, **names) == 4
    assert made(document) == 4
    numbered(names["floats"], 2).write_bytes(b"cut off")
    numbered(names["depth"], 3).unlink()
    assert made(document, **names) == 2


def test_contradictions_are_told(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    clear = Look(background=None)
    cases = [
        (film_job(tmp_path / "a.avi", document, cameras), OutputError, "can:"),
        (film_job(tmp_path / "a.mp4", document, []), UsageError, "0 sizes"),
        (film_job(tmp_path / "a.mp4", document, cameras, look=clear), UsageError, "transparency"),
        (film_job(tmp_path / "a.mp4", document, cameras, jobs=0), UsageError, "0 processes"),
        (film_job(tmp_path / "no" / "a.mp4", document, cameras), OutputError, "does not exist"),
        (film_job(tmp_path, document, cameras), OutputError, "kind of film"),
        (numbered_job(tmp_path / "#.jpg", document, cameras, look=clear), UsageError, "JPEG"),
        (numbered_job(tmp_path / "a.png", document, cameras), UsageError, "####"),
        (numbered_job(None, document, cameras), UsageError, "Nothing"),
        (numbered_job(None, document, cameras, resume=True), UsageError, "resumed"),
        (numbered_job(tmp_path / "#.png", document, cameras, numbers=[1]), UsageError, "numbers"),
    ]
    for job, kind, words in cases:
        with pytest.raises(kind, match=words):
            run(job)
    assert list(tmp_path.iterdir()) == []


def test_several_processes_make_the_same_film(tmp_path: Path) -> None:
    document = ball_document()
    cameras = turntable_cameras(document, 26, size=(48, 32))
    alone = run(film_job(tmp_path / "1.mp4", document, cameras, 12))
    together = run(film_job(tmp_path / "2.mp4", document, cameras, 12, jobs=2))
    assert alone == together
    alike(frames_in(tmp_path / "1.mp4"), frames_in(tmp_path / "2.mp4"))


def test_an_error_in_a_process_arrives_here(tmp_path: Path) -> None:
    document, cameras = film_setup()
    folder = tmp_path / "frames"
    job = numbered_job(folder / "####.png", document, cameras, jobs=2)
    next(job)
    next(job)
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(OutputError, match=r"00\d\d\.png"):
        run(job)


def test_a_process_that_dies_is_told() -> None:
    chunks = [DyingChunk(7), DyingChunk(7), DyingChunk(7)]
    with pytest.raises(UnavailableError, match=r"exit code 7.*fewer processes"):
        list(work_in_processes(chunks, ball_document(), Look(), 2))


def test_filming_reaches_every_frame(dots: DotRasterizer) -> None:
    document = ball_document()
    wide = Filming(stereo=Stereo("side-by-side", 0.2), sampling=Sampling(supersample=2))
    frame = render(document, size=(32, 24), filming=wide, outputs=("rgba8", "linear", "normals"))
    assert frame.rgba8.shape == (24, 64, 4)
    assert frame.linear.shape == (24, 64, 4)
    assert frame.normals.shape == (24, 64, 3)
    steps = list(render_job(document, filming=wide, size=(32, 24)))
    assert [(p.done, p.total) for p in steps] == [(0, 2), (1, 2), (2, 2)]
    blurred = Filming(sampling=Sampling(shutter=0.5, samples=4))
    dots.drawn = 0
    frames = list(turntable(document, seconds=0.5, fps=8, size=(32, 24), filming=blurred))
    assert (len(frames), dots.drawn) == (4, 16)
    # The turn closes: the first frame's shutter opens before it, on the last step of the circle.
    again = list(
        render_frames(
            document, turntable_cameras(document, 4, size=(32, 24)), filming=blurred, loop=True
        )
    )
    assert np.array_equal(frames[0].rgba8, again[0].rgba8)


def test_level_keeps_the_heading() -> None:
    tilted = Camera.look_at((0, -2, -4), (1, 0, 0), (0.2, -1, 0), size=(64, 32))
    flat = level(tilted, (0, -1, 0))
    assert flat.position == pytest.approx(tilted.position)
    assert flat.forward[1] == pytest.approx(0.0, abs=1e-12)
    heading = tilted.forward[[0, 2]] / np.linalg.norm(tilted.forward[[0, 2]])
    assert flat.forward[[0, 2]] == pytest.approx(heading)
    down = level(Camera.look_at((0, -2, 0), (0, 0, 0), (0, 0, 1)), (0, -1, 0))
    assert np.isfinite(down.viewmat).all()


def test_parts_of_another_lens_are_not_taken(dots: DotRasterizer, tmp_path: Path) -> None:
    document, cameras = film_setup()
    path = tmp_path / "a.mov"
    plain = Look(filming=Filming(grade=Grade(exposure=0.5)))
    other = Look(filming=Filming(grade=Grade(exposure=0.6)))
    for look, reused in ((other, 0), (plain, 24)):
        shutil.rmtree(parts_folder(path), ignore_errors=True)
        dots.drawn, dots.stop_after = 0, 30
        with pytest.raises(KeyboardInterrupt):
            run(film_job(path, document, cameras, 12, look=plain))
        dots.drawn, dots.stop_after = 0, None
        outcome = run(film_job(path, document, cameras, 12, look=look, resume=True))
        assert outcome.reused == reused
        assert len(frames_in(path)) == 50


@pytest.mark.parametrize("name", ["a.webm", "a.mov", "a.webp", "a.gif"])
def test_transparent_films_of_several_processes(tmp_path: Path, name: str) -> None:
    document = ball_document()
    cameras = turntable_cameras(document, 26, size=(48, 32))
    look = Look("cpu", background=None)
    made = []
    for jobs in (1, 2):
        run(film_job(tmp_path / name, document, cameras, 12, look=look, jobs=jobs, comment="x"))
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


def test_layers_name_the_nodes_in_every_process(tmp_path: Path) -> None:
    two = Document.of([ball(40), ball(60, seed=1)], ["one", "two"])
    cameras = turntable_cameras(two, 10, size=(48, 32))
    for jobs in (1, 2):
        pattern = tmp_path / str(jobs) / "##.exr"
        run(numbered_job(None, two, cameras, exr=pattern, look=Look("cpu"), jobs=jobs))
    for number in range(10):
        ours, theirs = (tmp_path / str(jobs) / f"{number:02d}.exr" for jobs in (1, 2))
        channels, words = read_exr(ours)
        assert words["nodes"] == "one\ntwo"
        assert set(np.unique(channels["id.node"])) == {0, 1, 2}
        assert ours.read_bytes() == theirs.read_bytes()
