"""Films of a document's timeline: what is keyed moves, and blurs while the shutter is open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.io.project import write_project
from polyorama.render.accumulate import Sampling, Shot, sample_times, shutter_times
from polyorama.render.shoot import Filming
from polyorama.scene.contents import Audio, CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.properties_of import at_time
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.timeline import Timeline
from polyorama.verbs.film import render
from polyorama.verbs.sequences import film_job, numbered_job
from polyorama.verbs.timeline import camera_at, film, timeline_filming, timeline_shots
from polyorama.verbs.workers import Look
from tests.engine.splat_samples import sample_cloud

SIZE = (48, 36)


def a_project() -> Document:
    """A cloud that drifts and brightens before a camera on an orbit."""
    camera = Node("camera", CameraRig(kind="orbit", distance=9.0), id="camera")
    cloud = Node("cloud", sample_cloud(80, 1), id="cloud")
    start = Document((cloud, camera), timeline=Timeline(duration=2.0, fps=4.0))
    doc = Editor(replace(start, view_camera="camera"))
    doc.add_modifier(node="cloud", kind="grade", id="look")
    for time, shift, stops, angle in ((0.0, 0.0, -1.0, 0.0), (2.0, 1.5, 1.0, 90.0)):
        doc.key("cloud/translation", time, (shift, 0.0, 0.0), "linear")
        doc.key("cloud/look/exposure", time, stops, "linear")
        doc.key("camera/azimuth", time, angle, "linear")
    return doc.document


def resting_at(document: Document, time: float) -> Document:
    """The document as it is at a time, with no keys left."""
    return replace(at_time(document, time), timeline=Timeline())


def test_frames_are_the_pictures_of_their_times() -> None:
    document = a_project()
    frames = list(film(document, SIZE, backend="cpu"))
    assert len(frames) == 8
    for number in (0, 3, 7):
        time = number / 4.0
        still = render(resting_at(document, time), camera_at(document, time, SIZE), backend="cpu")
        assert frames[number].rgba8 is not None
        assert np.array_equal(frames[number].rgba8, still.rgba8)
    assert not np.array_equal(frames[0].rgba8, frames[7].rgba8)


def test_the_shutter_samples_the_document_too() -> None:
    resting = replace(a_project(), view_camera="")
    resting = replace(resting, camera=camera_at(a_project(), 0.0, SIZE))
    tracks = {k: t for k, t in resting.timeline.tracks.items() if k == "cloud/translation"}
    resting = replace(resting, timeline=replace(resting.timeline, tracks=tracks))
    filming = Filming(sampling=Sampling(samples=8, shutter=1.0))
    frames = list(film(resting, SIZE, backend="cpu", filming=filming, start=1.0, end=1.25))
    sharp = list(film(resting, SIZE, backend="cpu", start=1.0, end=1.25))
    assert frames[0].rgba8 is not None
    assert sharp[0].rgba8 is not None
    assert not np.array_equal(frames[0].rgba8, sharp[0].rgba8)
    # By hand: the mean of the linear light of pictures at the shutter's moments.
    from polyorama.render.light import to_display, to_linear

    total = np.zeros((36, 48, 4), np.float64)
    for moment in shutter_times(8, 0):
        there = resting_at(resting, 1.0 + float(moment) / 4.0)
        picture = render(there, camera_at(resting, 1.0, SIZE), backend="cpu", outputs=("color",))
        assert picture.color is not None
        total += to_linear(picture.color) / 8
    shown = to_display(total.astype(np.float32))
    assert np.abs(shown[..., :3] * 255 - frames[0].rgba8[..., :3]).max() < 1.0


def test_sample_times_rest_with_the_document() -> None:
    shot = Shot(camera_at(a_project(), 0.0, SIZE))
    assert sample_times(shot, Sampling(samples=4, shutter=0.5)) == [None] * 4
    timed = replace(shot, time=0.0, frame_seconds=0.1)
    found = sample_times(timed, Sampling(samples=4, shutter=0.5))
    assert all(t is not None and 0.0 <= t <= 0.025 + 1e-9 for t in found)


def test_a_rig_brings_its_lens_and_its_eyes() -> None:
    document = a_project()
    rig = replace(
        document.node("camera").content, f_stop=2.0, focus=5.0, shutter=0.5, eye_distance=0.1
    )
    document = document.replaced(replace(document.node("camera"), content=rig))
    shots = timeline_shots(document, SIZE)
    assert all(shot.dof is not None and shot.dof.f_number == 2.0 for shot in shots)
    settings = timeline_filming(document)
    assert settings.sampling.shutter == 0.5
    assert settings.stereo is not None
    assert (
        timeline_filming(document, Filming(sampling=Sampling(shutter=0.2))).sampling.shutter == 0.2
    )


@pytest.mark.parametrize(("start", "end"), [(2.0, 1.0), (-1.0, 1.0), (0.0, 1e9)])
def test_parts_that_are_none(start: float, end: float) -> None:
    with pytest.raises(UsageError, match="is empty"):
        timeline_shots(a_project(), SIZE, start=start, end=end)


def test_the_command_line_films_a_project(tmp_path, capsys) -> None:
    write_project(a_project(), tmp_path / "drift.poly")
    pictures = tmp_path / "frames" / "##.png"
    command = ["render", str(tmp_path / "drift.poly"), "--backend", "cpu", "--size", "48x36"]
    assert main([*command, "--timeline", "0.5:1.5", "-o", str(pictures)]) == 0
    names = sorted(p.name for p in (tmp_path / "frames").iterdir())
    assert names == ["00.png", "01.png", "02.png", "03.png"]
    from PIL import Image

    still = render(resting_at(a_project(), 0.75), camera_at(a_project(), 0.75, SIZE), backend="cpu")
    assert still.rgba8 is not None
    with Image.open(tmp_path / "frames" / "01.png") as picture:
        assert np.array_equal(np.asarray(picture.convert("RGB")), still.rgba8[..., :3])
        assert "--timeline 0.5:1.5" in picture.text["Comment"]
    target = tmp_path / "drift.mp4"
    assert main([*command, "--timeline", "-o", str(target)]) == 0
    import av

    with av.open(str(target)) as film_file:
        stream = film_file.streams.video[0]
        assert (stream.frames, float(stream.average_rate)) == (8, 4.0)
    capsys.readouterr()
    films = []
    for jobs in ("1", "2"):  # two parts, so that two processes draw
        more = ["--timeline", "--fps", "12", "--jobs", jobs, "-o", str(target)]
        assert main([*command, *more]) == 0
        films.append(target.read_bytes())
    assert films[0] == films[1]
    assert main([*command, "--time", "2", "-o", str(tmp_path / "end.png")]) == 0


def test_a_stopped_film_does_not_take_frames_of_another_edit(tmp_path) -> None:
    document = a_project()
    look = Look(backend="cpu")
    shots = timeline_shots(document, SIZE, fps=12)
    target = tmp_path / "film.mp4"
    job = film_job(target, document, shots, 12, look=look)
    for progress in job:
        if progress.done >= 13:
            break
    job.close()
    changed = Editor(document)
    changed.key("cloud/look/exposure", 2.0, 0.5)
    again = run(film_job(target, changed.document, shots, 12, look=look, resume=True))
    assert again.reused == 0


def test_frames_of_other_selections_are_not_taken_where_they_are_asked_for(tmp_path) -> None:
    look, target = Look(backend="cpu"), tmp_path / "####.png"

    def taken(document: Document) -> int:
        shots = timeline_shots(document, SIZE, fps=4)
        return run(numbered_job(target, document, shots, look=look, resume=True)).reused

    picked = {"cloud": BitSet.of_indices(range(40), 80)}
    plain = a_project()
    assert taken(plain) == 0
    assert taken(replace(plain, selection=picked)) == 8, "nothing asks for it"
    doc = Editor(plain)
    doc.add_modifier(node="cloud", kind="opacity", mask="selected", values={"factor": 0.1})
    assert taken(doc.document) == 0
    assert taken(replace(doc.document, selection=picked)) == 0
    doc.change_modifier("cloud", "opacity", {"mask": 'selected("hand")'})
    for bits in (picked, {"cloud": BitSet.of_indices(range(50), 80)}):
        named = (NamedSelection("hand", bits=bits),)
        assert taken(replace(doc.document, selections=named)) == 0
        assert taken(replace(doc.document, selections=named)) == 8


def test_frames_of_other_columns_are_not_taken(tmp_path) -> None:
    look, target = Look(backend="cpu"), tmp_path / "####.png"
    reused = []
    # Printed, such an array shows its ends alone.
    for at in (1000, 1000, 1001):
        label = np.zeros(2000, np.int16)
        label[at] = 1
        cloud = replace(sample_cloud(2000, 1), extras={"label": label})
        document = replace(a_project(), nodes=(Node("cloud", cloud, id="cloud"),), view_camera="")
        document = replace(document, camera=camera_at(a_project(), 0.0, SIZE))
        shots = timeline_shots(document, SIZE, fps=4)[:2]
        job = numbered_job(target, document, shots, look=look, resume=True)
        reused.append(run(job).reused)
    assert reused == [0, 2, 0]


def test_what_sounds_on_the_timeline_sounds_in_its_films(tmp_path) -> None:
    rate = 8000
    tone = np.sin(2 * np.pi * 440 * np.arange(2 * rate) / rate).astype(np.float32)[:, None]
    document = a_project()
    hum = Node("hum", Audio(samples=tone, rate=rate), id="hum")
    document = replace(document, nodes=(*document.nodes, hum))
    target = tmp_path / "film.mp4"
    shots = timeline_shots(document, (96, 96), fps=12)
    run(film_job(target, document, shots, 12, look=Look(backend="cpu")))
    import av

    with av.open(str(target)) as film_file:
        (sound,) = film_file.streams.audio
        heard = np.concatenate([f.to_ndarray()[0] for f in film_file.decode(sound)])
    assert len(heard) / 48000 == pytest.approx(2.0, abs=0.1)
    spectrum = np.abs(np.fft.rfft(heard[4800:52800]))
    assert abs(int(spectrum.argmax()) - 440) <= 2  # one bin is a hertz
