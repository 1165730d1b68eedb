"""Takes as mouth cues and films, and all kinds by their endings."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from polyorama.core.jobs import Progress, run
from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.face.exports.film import (
    STAGE,
    film_provenance,
    film_take,
    portrait_camera,
    still_take,
)
from polyorama.face.exports.formats import FORMATS, read_take, take_format, write_take
from polyorama.face.exports.rhubarb import (
    MOUTH_OF,
    MOUTHS,
    MouthCue,
    mouth_cues,
    read_rhubarb,
    write_rhubarb,
)
from polyorama.face.exports.words import parse_provenance, sidecar_of
from polyorama.face.take import Take
from polyorama.io.audio import read_audio
from polyorama.scene.faces.channels import CHANNEL_INDEX
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import PHONES, Phone, PhoneTrack
from tests.conftest import shared_folder
from tests.engine.face_samples import ball_rig
from tests.engine.face_takes import PHONES as TRACK
from tests.engine.face_takes import PROVENANCE, nodding_rig, take

# --- mouth cues ------------------------------------------------------------------------------


def test_every_phone_has_a_mouth():
    assert set(MOUTH_OF) == set(PHONES)
    assert {mouth for mouths in MOUTH_OF.values() for mouth in mouths} == set(MOUTHS)
    assert [MOUTH_OF[phone] for phone in ("P", "F", "L", "UW", "AA", "sil")] == list("AGHFDX")


def test_cues_follow_the_phones_without_gaps():
    cues = mouth_cues(TRACK, 1.5)
    assert [(cue.start, cue.mouth) for cue in cues] == [
        (0.0, "X"), (0.1, "A"), (0.2, "D"), (0.42, "B"), (0.5, "X"), (0.6, "F"), (0.81, "G"),
        (0.9, "X"),
    ]  # fmt: skip
    assert all(one.end == other.start for one, other in pairwise(cues))
    assert cues[-1].end == 1.5


def test_pauses_that_are_short_keep_the_mouth_and_diphthongs_glide():
    track = PhoneTrack((Phone("AW", 0.0, 0.2), Phone("T", 0.25, 0.3), Phone("S", 0.3, 0.4)))
    cues = mouth_cues(track)
    assert [(round(cue.start, 6), cue.mouth) for cue in cues] == [
        (0.0, "D"), (0.12, "F"), (0.25, "B"),
    ]  # fmt: skip
    assert mouth_cues(PhoneTrack(), 1.0) == (MouthCue(0.0, 1.0, "X"),)
    assert mouth_cues(track, 0.1) == (MouthCue(0.0, 0.1, "D"),)


@pytest.mark.parametrize("ending", [".tsv", ".json"])
def test_cues_are_read_again_equal(tmp_path, ending):
    wrote = take()
    path = tmp_path / f"mouths{ending}"
    write_rhubarb(wrote, path)
    read, expected = read_rhubarb(path), mouth_cues(wrote.phones, wrote.performance.seconds)
    assert [cue.mouth for cue in read] == [cue.mouth for cue in expected]
    times = [[(cue.start, cue.end) for cue in cues] for cues in (read, expected)]
    np.testing.assert_allclose(*times, atol=1e-5)
    beside = sidecar_of(path) if ending == ".tsv" else path
    said = json.loads(beside.read_text("utf-8"))
    said = said if ending == ".tsv" else said["polyorama"]
    assert parse_provenance(said["provenance"]) == PROVENANCE


def test_rhubarbs_own_files_are_read(tmp_path):
    (tmp_path / "a.tsv").write_text("0.00\tX\n0.05\tD\n0.27\tC\n0.47\tX\n")
    (tmp_path / "a.json").write_text(json.dumps({
        "metadata": {"soundFile": "a.wav", "duration": 0.47},
        "mouthCues": [{"start": 0, "end": 0.05, "value": "X"},
                      {"start": 0.05, "end": 0.27, "value": "D"},
                      {"start": 0.27, "end": 0.47, "value": "C"}],
    }))  # fmt: skip
    assert read_rhubarb(tmp_path / "a.tsv") == read_rhubarb(tmp_path / "a.json")
    assert read_rhubarb(tmp_path / "a.tsv")[1] == MouthCue(0.05, 0.27, "D")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.0\tX\n", "no mouth cues"),
        ("0.0 X\n1.0 A\n", "Line 1"),
        ("0.0\tX\n0.5\tQ\n1\tX\n", "Cue 2"),
        ("0.5\tX\n0.1\tA\n", "Cue 1"),
        ("nan\tX\n1\tA\n", "Cue 1"),
        ('{"mouthCues": 3}', "mouthCues"),
        ('{"mouthCues": [{"start": 0, "end": "1", "value": "A"}]}', "cue 1"),
        ('{"mouthCues": [{"start": 0, "end": 2, "value": "A"}, {"start": 1, "end": 3,'
         ' "value": "B"}]}', "before the last ends"),
    ],
)  # fmt: skip
def test_bad_cues_are_named(tmp_path, text, words):
    (tmp_path / "bad.tsv").write_text(text)
    with pytest.raises(FileFormatError, match=words) as raised:
        read_rhubarb(tmp_path / "bad.tsv")
    assert "bad.tsv" in str(raised.value)


def test_a_take_without_phones_has_no_mouths(tmp_path):
    with pytest.raises(UsageError, match="no phones"):
        write_rhubarb(replace(take(), phones=PhoneTrack()), tmp_path / "a.tsv")


QUICK = {"surfels": 3000, "backend": "cpu"}

# --- films -----------------------------------------------------------------------------------


@cache
def quick_rig():
    """One for all, since what is known of a rig's surface is kept by the rig."""
    return ball_rig()


@pytest.mark.parametrize("size", [(320, 180), (90, 160)])
def test_the_portrait_frames_the_head(size):
    rig = nodding_rig()
    camera = portrait_camera(rig, size)
    rotor = next(rotor for rotor in rig.rotors if rotor.name == "head")
    head = rig.mesh.vertices[rotor.indices[rotor.amounts > 0.85]].astype(np.float64)
    seen = head @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
    x = camera.fx * seen[:, 0] / seen[:, 2] / size[0]
    y = camera.fy * seen[:, 1] / seen[:, 2] / size[1]
    shares = np.ptp(x) / 0.8, np.ptp(y) / 0.7
    assert max(shares) == pytest.approx(1.0, abs=0.02)
    assert abs(x.min() + x.max()) < 0.02
    assert abs(y.min() + y.max()) < 0.02


def test_a_film_shows_and_sounds_and_says_where_it_came_from(tmp_path):
    av = pytest.importorskip("av")
    path = tmp_path / "take.mp4"
    wrote = take(seconds=0.5)
    job = film_take(wrote, quick_rig(), path, size=(96, 64), fps=12, **QUICK)
    steps = []
    while True:
        try:
            steps.append(next(job))
        except StopIteration as stop:
            count = stop.value
            break
    # The sound goes on for as long as the curves.
    assert count == 6
    assert [step.done for step in steps] == list(range(7))
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    assert len(frames) == 6
    corner = frames[0][:4, :4].reshape(-1, 3).mean(axis=0)
    np.testing.assert_allclose(corner, np.array(STAGE) * 255, atol=6)
    assert frames[0][28:36, 44:52].mean() > 60
    sound = read_audio(path)
    assert sound.seconds == pytest.approx(0.5, abs=0.08)
    assert np.abs(sound.samples).max() > 0.2
    assert film_provenance(path) == PROVENANCE


def test_a_silent_film_has_no_sound_and_a_cancelled_one_leaves_nothing(tmp_path):
    silent = replace(take(seconds=0.25), sound=None)
    run(film_take(silent, quick_rig(), tmp_path / "a.webm", size=(64, 64), fps=8, **QUICK))
    with pytest.raises(FileFormatError, match="no sound"):
        read_audio(tmp_path / "a.webm")
    assert film_provenance(tmp_path / "a.webm") == PROVENANCE
    job = film_take(silent, quick_rig(), tmp_path / "b.mp4", size=(64, 64), **QUICK)
    next(job), next(job)
    job.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.webm"]


def test_a_still_is_the_pose_at_its_time():
    rows = np.zeros((2, 55), np.float32)
    rows[1, CHANNEL_INDEX["jawOpen"]] = 1.0
    wrote = Take(Performance(rows, 1.0), PROVENANCE)
    first, second = (
        still_take(wrote, quick_rig(), time, size=(96, 64), **QUICK) for time in (0.0, 1.0)
    )
    assert (first.rgba8 != second.rgba8).any()
    near = Camera.look_at((0, 0, 0.4), (0, 0, 0), size=(96, 64), fov=40.0)
    closer = still_take(wrote, quick_rig(), 0.0, size=(48, 32), camera=near, **QUICK)
    assert closer.rgba8.shape == (32, 48, 4)


def test_what_is_no_film_is_refused(tmp_path):
    for name, error in (("a.gif", OutputError), ("a.txt", OutputError)):
        with pytest.raises(error):
            run(film_take(take(), quick_rig(), tmp_path / name))
    with pytest.raises(OutputError, match="folder"):
        run(film_take(take(), quick_rig(), tmp_path / "none" / "a.mp4"))
    with pytest.raises(UsageError, match="frame rate"):
        run(film_take(take(), quick_rig(), tmp_path / "a.mp4", fps=0))
    (tmp_path / "bad.mp4").write_bytes(b"no film at all")
    with pytest.raises(FileFormatError):
        film_provenance(tmp_path / "bad.mp4")


# --- phones ----------------------------------------------------------------------------------


def test_phones_are_read_again_equal(tmp_path):
    path = tmp_path / "take.TextGrid"
    run(write_take(take(), path))
    notes = []
    read = read_take(path, notes)
    spoken = [phone for phone in TRACK.phones if phone.symbol != "sil"]
    assert [phone.symbol for phone in read.phones.phones] == [phone.symbol for phone in spoken]
    assert [phone.stress for phone in read.phones.phones] == [phone.stress for phone in spoken]
    times = [[(p.start, p.end) for p in phones] for phones in (read.phones.phones, spoken)]
    np.testing.assert_allclose(*times, atol=1e-9)
    assert read.phones.words == TRACK.words
    assert read.provenance == PROVENANCE
    assert not read.performance.weights.any()
    assert read.performance.seconds == pytest.approx(TRACK.seconds, abs=1 / 60)
    assert any("rests" in text for text in notes)
    path.write_text(path.read_text("utf-8")[:400])
    with pytest.raises(FileFormatError):
        read_take(path)


# --- by ending -------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".glb", ".gltf", ".usda", ".usdc", ".csv", ".json", ".npz"])
def test_every_kind_is_read_again_equal_by_its_ending(tmp_path, ending):
    if ending.startswith(".usd"):
        pytest.importorskip("pxr", reason="OpenUSD is not installed")
    path, wrote = tmp_path / f"take{ending.upper()}", take(fps=25.0)
    path = path.with_suffix(ending)
    steps = list(write_take(wrote, path, nodding_rig()))
    assert all(isinstance(step, Progress) for step in steps)
    read = read_take(path)
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-4)
    assert read.performance.fps == wrote.performance.fps
    assert read.provenance == wrote.provenance


def test_endings_that_hold_no_curves_are_refused_when_read(tmp_path):
    run(write_take(take(), tmp_path / "a.tsv"))
    with pytest.raises(FileFormatError, match="drawn mouths"):
        read_take(tmp_path / "a.tsv")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(FileFormatError, match=r"can: \.glb"):
        read_take(tmp_path / "a.txt")
    with pytest.raises(FileFormatError, match="no such file"):
        read_take(tmp_path / "b.csv")
    with pytest.raises(FileFormatError, match="folder"):
        read_take(tmp_path)


def test_writing_says_what_is_wrong(tmp_path):
    for name in ("a.glb", "a.usda", "a.mp4"):
        with pytest.raises(UsageError, match="say which rig"):
            run(write_take(take(), tmp_path / name))
    with pytest.raises(OutputError, match=r"can: \.mp4"):
        run(write_take(take(), tmp_path / "a.fbx"))
    with pytest.raises(UsageError, match="no setting 'fps'"):
        run(write_take(take(), tmp_path / "a.csv", fps=30))
    with pytest.raises(OutputError, match="folder"):
        run(write_take(take(), tmp_path / "none" / "a.csv"))
    assert take_format("x/y.GLB").name == "glTF"
    assert take_format("x.fbx") is None
    endings = [ending for kind in FORMATS for ending in kind.endings]
    assert len(set(endings)) == len(endings)


def test_ict_goes_through_gltf_and_usd(tmp_path):
    pytest.importorskip("pxr", reason="OpenUSD is not installed")
    source = shared_folder() / "rigs" / "ict_face_light.npz"
    if not source.is_file():
        pytest.skip(f"the ICT rig is not here: {source}")
    from polyorama.face.rigs.ict import ict_rig

    rig, wrote = ict_rig(source), take(seconds=0.5)
    for ending in (".glb", ".usdc"):
        run(write_take(wrote, tmp_path / f"ict{ending}", rig))
        read = read_take(tmp_path / f"ict{ending}")
        np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-4)
