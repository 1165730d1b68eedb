"""Loaders of data sets on small made-up folders of their layouts, and what they refuse."""

from __future__ import annotations

import json
import pickle
import wave
import zipfile

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.data import pickles
from polyorama.face.data.clips import emotion_in, load_array, sound_beside
from polyorama.face.data.layouts import LAYOUTS, open_data
from polyorama.face.data.pickles import plain_data
from polyorama.face.data.solving import weights_of_offsets
from polyorama.face.ecoface.user_data import at_motion_rate, examples_of
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, CHANNELS, LIVE_LINK
from polyorama.scene.faces.morphs import MorphRig, Shapes
from polyorama.scene.mesh import Mesh


def _sound(path, seconds: float = 1.0, rate: int = 16000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    t = np.arange(int(seconds * rate)) / rate
    values = (8000 * np.sin(2 * np.pi * 180 * t)).astype("<i2")
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(values.tobytes())


def _rows(count: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(size=(count, width)).astype(np.float32)


class _Phones:
    """Content that is no more than a row a frame."""

    name = "listener"

    def rows(self, samples):
        from polyorama.face.ecoface.sound import rows_of_sound

        return np.zeros((2 * rows_of_sound(len(samples)), 40), np.float32)


# -- each layout -----------------------------------------------------------------------------------


def test_vocaset_processed(tmp_path) -> None:
    rest = _rows(7, 3, 1)
    moved = rest + 0.01 * _rows(60, 21).reshape(60, 7, 3)
    for person in ("FaceTalk_170725_00137_TA", "FaceTalk_170728_03272_TA"):
        stem = f"{person}_sentence01"
        (tmp_path / "vertices_npy").mkdir(exist_ok=True)
        np.save(tmp_path / "vertices_npy" / f"{stem}.npy", moved.reshape(60, 21))
        _sound(tmp_path / "wav" / f"{stem}.wav")
    people = {p: rest.astype(np.float64) for p in
              ("FaceTalk_170725_00137_TA", "FaceTalk_170728_03272_TA")}  # fmt: skip
    (tmp_path / "templates.pkl").write_bytes(pickle.dumps(people, protocol=2))
    clips = open_data(tmp_path)
    assert [c.person for c in clips] == sorted(people)
    assert {c.target for c in clips} == {"vertices"}
    data = clips[0].read()
    assert data.fps == 60.0
    assert data.samples.dtype == np.float32
    assert len(data.samples) == 16000
    assert np.allclose(data.motion, moved - rest, atol=1e-6)


def test_vocaset_as_it_is_published(tmp_path) -> None:
    verts = _rows(10, 15).reshape(10, 5, 3)
    np.save(tmp_path / "data_verts.npy", verts)
    rest = _rows(5, 3, 2)
    sound = (1000 * np.sin(np.arange(22050) / 20)).astype(np.int16)
    write = {
        "templates.pkl": {"FaceTalk_1_TA": rest},
        "subj_seq_to_idx.pkl": {"FaceTalk_1_TA": {"sentence01": {0: 4, 1: 5, 2: 6}}},
        "raw_audio_fixed.pkl": {
            "FaceTalk_1_TA": {"sentence01": {"audio": sound, "sample_rate": 22050}}
        },
    }
    for name, content in write.items():
        (tmp_path / name).write_bytes(pickle.dumps(content, protocol=2))
    (clip,) = open_data(tmp_path)
    data = clip.read()
    assert clip.name == "FaceTalk_1_TA_sentence01"
    assert np.allclose(data.motion, verts[4:7] - rest)
    assert len(data.samples) == pytest.approx(16000, abs=2)
    assert 0.0 < np.abs(data.samples).max() < 0.1


def test_beat2(tmp_path) -> None:
    poses, faces = _rows(30, 165), _rows(30, 100, 1)
    folder = tmp_path / "smplxflame_30"
    folder.mkdir()
    np.savez(folder / "2_scott_0_1_1.npz", poses=poses, expressions=faces, betas=_rows(1, 300))
    _sound(tmp_path / "wave16k" / "2_scott_0_1_1.wav")
    (clip,) = open_data(tmp_path)
    data = clip.read()
    assert (clip.target, clip.person, data.fps) == ("flame", "2_scott", 30.0)
    assert np.array_equal(data.motion, np.hstack([faces[:, :50], poses[:, 66:69]]))


def test_beat(tmp_path) -> None:
    names = [name for name in ARKIT if name != "tongueOut"]
    rows = _rows(60, 51)
    content = {
        "names": names,
        "frames": [{"weights": r.tolist(), "time": t / 60.0} for t, r in enumerate(rows)],
    }
    folder = tmp_path / "facial52"
    folder.mkdir()
    (folder / "3_carla_0_5_5.json").write_text(json.dumps(content))
    _sound(tmp_path / "wave16k" / "3_carla_0_5_5.wav")
    (clip,) = open_data(tmp_path)
    data = clip.read()
    assert data.fps == pytest.approx(60.0)
    assert clip.person == "3_carla"
    for column, name in enumerate(names):
        assert np.allclose(data.motion[:, CHANNEL_INDEX[name]], rows[:, column])
    assert not data.motion[:, CHANNEL_INDEX["tongueOut"]].any()


def test_mead3d(tmp_path) -> None:
    verts = _rows(25, 15).reshape(25, 5, 3)
    for emotion, level in (("angry", 3), ("happy", 1), ("contempt", 2)):
        folder = tmp_path / "M003" / "video" / "front" / emotion / f"level_{level}"
        folder.mkdir(parents=True)
        content = np.array({"verts": verts, "beta": _rows(25, 156)}, object)
        np.save(folder / "001.npy", content, allow_pickle=True)
        _sound(tmp_path / "M003" / "audio" / emotion / f"level_{level}" / "001.wav")
    clips = open_data(tmp_path)
    assert [(c.person, c.emotion, c.level) for c in clips] == [("M003", 4, 2), ("M003", 2, 1)]
    data = clips[0].read()
    assert data.fps == 25.0
    assert np.allclose(data.motion, verts - verts[0])


def test_ravdess_like_names(tmp_path) -> None:
    weights = _rows(30, 52)
    np.savez(tmp_path / "03-01-05-02-01-01-12.npz", weights=weights, fps=30.0)
    _sound(tmp_path / "03-01-05-02-01-01-12.wav")
    exp, jaw = _rows(25, 100), _rows(25, 3, 1)
    (clip,) = open_data(tmp_path)
    assert (clip.person, clip.emotion, clip.level, clip.target) == ("Actor_12", 4, 2, "arkit")
    data = clip.read()
    assert data.fps == 30.0
    assert np.array_equal(data.motion[:, :52], weights)
    assert not data.motion[:, 52:].any()
    other = tmp_path / "flame"
    other.mkdir()
    np.savez(other / "03-01-01-01-01-01-02.npz", exp=exp, jaw=jaw, fps=25)
    _sound(other / "03-01-01-01-01-01-02.wav")
    (clip,) = open_data(other)
    assert (clip.emotion, clip.level, clip.target) == (0, 1, "flame")
    assert np.array_equal(clip.read().motion, np.hstack([exp[:, :50], jaw]))


def test_live_link_takes(tmp_path) -> None:
    values = _rows(60, len(LIVE_LINK)) * 0.5
    lines = ["Timecode,BlendShapeCount," + ",".join(LIVE_LINK)]
    for n, row in enumerate(values):
        lines.append(f"10:00:00:{n:02d}.000,61," + ",".join(f"{v:.6f}" for v in row))
    (tmp_path / "happy_2 take.csv").write_text("\n".join(lines) + "\n")
    _sound(tmp_path / "happy_2 take.wav")
    (tmp_path / "no sound.csv").write_text("\n".join(lines) + "\n")
    (clip,) = open_data(tmp_path)
    assert (clip.emotion, clip.level, clip.person) == (2, 2, tmp_path.name)
    data = clip.read()
    assert data.motion.shape == (60, 55)
    assert np.allclose(data.motion[:, :52], values[:, :52], atol=1e-5)


# -- to examples -----------------------------------------------------------------------------------


def test_clips_become_examples(tmp_path) -> None:
    for stem, seconds in (("03-01-04-01-01-01-01", 1.0), ("03-01-08-02-01-01-02", 2.0)):
        np.savez(tmp_path / f"{stem}.npz", weights=_rows(90, 55), fps=60.0)
        _sound(tmp_path / f"{stem}.wav", seconds)
    data = run(examples_of(open_data(tmp_path), _Phones()))
    assert data.persons == ("Actor_01", "Actor_02")
    assert [(e.person, e.emotion, e.level) for e in data.examples] == [(0, 3, 1), (1, 7, 2)]
    # Sound is shorter in the first, motion in the second.
    assert [len(e.motion) for e in data.examples] == [25, 38]
    assert "2 clips" in data.trained_on


def test_vertices_need_a_rig_and_kinds_do_not_mix(tmp_path) -> None:
    verts = tmp_path / "vertices_npy"
    verts.mkdir()
    np.save(verts / "FaceTalk_1_TA_s1.npy", _rows(20, 15))
    clips = open_data(tmp_path)
    with pytest.raises(UsageError, match="rig"):
        run(examples_of(clips, _Phones()))
    with pytest.raises(UsageError, match="no clip"):
        run(examples_of((), _Phones()))


def test_rates_become_25_a_second() -> None:
    t = np.arange(120) / 60.0
    slow = at_motion_rate(np.sin(2 * np.pi * t)[:, None], 60.0)
    assert len(slow) == 50
    assert np.allclose(slow[1:-1, 0], np.sin(2 * np.pi * np.arange(50) / 25.0)[1:-1], atol=0.03)
    # What flickers at the old rate is gone, not folded.
    flicker = at_motion_rate((np.arange(120) % 2)[:, None].astype(float), 60.0)
    assert np.abs(flicker[1:-1] - 0.5).max() < 0.26
    same = _rows(25, 3)
    assert np.allclose(at_motion_rate(same, 25.0), same)
    assert len(at_motion_rate(same, 30.0)) == 21


def _small_rig() -> MorphRig:
    rng = np.random.default_rng(3)
    names = ARKIT[:9]
    offsets = {name: rng.normal(size=(12, 3)) * 0.01 for name in names}
    mesh = Mesh(
        vertices=rng.normal(size=(12, 3)).astype(np.float32),
        triangles=np.array([[0, 1, 2], [3, 4, 5]], np.int32),
    )
    return MorphRig(mesh, Shapes.of_dense(offsets), name="small")


def test_weights_are_found_again_from_vertices() -> None:
    rig = _small_rig()
    wanted = np.zeros((6, len(CHANNELS)), np.float32)
    wanted[:, :9] = np.random.default_rng(4).uniform(0.0, 1.0, (6, 9))
    offsets = np.stack([rig.posed(row) - rig.mesh.vertices for row in wanted])
    found = weights_of_offsets(offsets, rig, turns=400)
    assert np.abs(found - wanted).max() < 0.02


def test_weights_that_are_found_are_the_least_squares_of_a_slow_solver() -> None:
    from scipy.optimize import lsq_linear

    rig = _small_rig()
    offsets = np.random.default_rng(5).normal(size=(2, 12, 3)) * 0.02
    found = weights_of_offsets(offsets, rig, turns=500)
    shapes = np.stack([rig.shapes.dense(n, 12).ravel() for n in ARKIT[:9]], 1).astype(np.float64)
    ridge = 1e-3 * np.trace(shapes.T @ shapes) / 9
    stacked = np.vstack([shapes, np.sqrt(ridge) * np.eye(9)])
    for row, moved in zip(found, offsets, strict=True):
        target = np.concatenate([moved.ravel(), np.zeros(9)])
        slow = lsq_linear(stacked, target, bounds=(0.0, 1.0), tol=1e-12).x
        assert np.allclose(row[:9], slow, atol=1e-4)


def test_a_rig_of_other_vertices_is_refused() -> None:
    with pytest.raises(UsageError, match="12 vertices"):
        weights_of_offsets(np.zeros((2, 11, 3)), _small_rig())


# -- what is refused -------------------------------------------------------------------------------


_ran: list[int] = []


def _run() -> None:
    _ran.append(1)


class _Evil:
    def __reduce__(self):
        return _run, ()


class _Large:
    def __reduce__(self):
        return np.ndarray, ((1 << 40,),)


@pytest.mark.parametrize("content", [_Evil(), {"a": [_Evil()]}, _Large(), {"a": object()}])
def test_pickles_with_more_than_data_are_not_run(tmp_path, content) -> None:
    path = tmp_path / "templates.pkl"
    path.write_bytes(pickle.dumps(content))
    with pytest.raises(FileFormatError, match="pickle"):
        plain_data(path, 1 << 20)
    assert not _ran


def _named(path: str, rest: bytes) -> bytes:
    """A pickle that names something and then does the rest."""
    module, _, name = path.rpartition(".")
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + rest


@pytest.mark.parametrize(
    "data",
    [
        # Attributes of what is named are set.
        _named("numpy.dtype", b"N}X\x01\x00\x00\x00aK\x01s\x86b."),
        _named("numpy.ndarray", b"}X\x01\x00\x00\x00aK\x01sb."),
        # Zeros for a number of bytes: _frombuffer(2 ** 40, dtype("u1"), (2 ** 40,), "C").
        _named("numpy.core.numeric._frombuffer", b"(\x8a\x06" + (2**40).to_bytes(6, "little")
               + b"cnumpy\ndtype\nX\x02\x00\x00\x00u1\x85R\x8a\x06"
               + (2**40).to_bytes(6, "little") + b"\x85X\x01\x00\x00\x00CtR."),
        # A memory of the number 2 ** 31.
        b"\x80\x02Nr\x00\x00\x00\x80.",
        # An extension that another module may have registered.
        b"\x80\x02\x82\x01.",
    ],
)  # fmt: skip
def test_pickles_that_do_more_than_hold_data_are_refused(tmp_path, data: bytes) -> None:
    path = tmp_path / "templates.pkl"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="pickle"):
        plain_data(path, 1 << 20)


def test_lists_that_hold_themselves_many_times_over_are_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(pickles, "_MOST_STEPS", 10_000)
    content: list = [0]
    for _ in range(25):
        content = [content] * 10
    path = tmp_path / "data.pkl"
    path.write_bytes(pickle.dumps(content))
    assert path.stat().st_size < 2000
    with pytest.raises(FileFormatError, match="too large"):
        plain_data(path, 1 << 20)


@pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
def test_plain_pickles_are_read(tmp_path, protocol: int) -> None:
    content = {
        "a": np.arange(6, dtype=">f8").reshape(2, 3), "b": [1, 2.5, "text", None],
        "c": {"d": np.float32(1.5)}, "e": np.asfortranarray(np.arange(4).reshape(2, 2)),
    }  # fmt: skip
    path = tmp_path / "data.pkl"
    path.write_bytes(pickle.dumps(content, protocol))
    found = plain_data(path, 1 << 20)
    assert np.array_equal(found["a"], content["a"])
    assert np.array_equal(found["e"], content["e"])
    assert found["b"] == [1, 2.5, "text", None]
    assert float(found["c"]["d"]) == 1.5


def test_damaged_and_large_pickles_end_in_one_sentence(tmp_path) -> None:
    path = tmp_path / "data.pkl"
    whole = pickle.dumps({"a": np.arange(100)})
    for cut in (1, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(FileFormatError):
            plain_data(path, 1 << 20)
    path.write_bytes(whole)
    with pytest.raises(FileFormatError, match="too much"):
        plain_data(path, 10)


def test_arrays_that_are_none_are_refused(tmp_path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array({"x": 1}, object), allow_pickle=True)
    with pytest.raises(FileFormatError):
        load_array(path, (None, None))
    np.save(path, _rows(4, 3))
    assert load_array(path, (None, 3)).shape == (4, 3)
    with pytest.raises(FileFormatError, match="needed"):
        load_array(path, (None, 5))
    data = path.read_bytes()
    path.write_bytes(data[:-8])
    with pytest.raises(FileFormatError):
        load_array(path, (None, 3))
    np.savez(tmp_path / "b.npz", x=_rows(4, 3))
    (tmp_path / "b.npz").rename(path)
    with pytest.raises(FileFormatError, match="single"):
        load_array(path, (None, 3))


def test_folders_without_clips_and_unknown_layouts_are_refused(tmp_path) -> None:
    with pytest.raises(FileFormatError, match="No clip"):
        open_data(tmp_path)
    with pytest.raises(FileFormatError, match="no such folder"):
        open_data(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="Layouts"):
        open_data(tmp_path, "biwi")
    for name in LAYOUTS:
        with pytest.raises(FileFormatError):
            open_data(tmp_path, name)


def test_a_missing_sound_is_named(tmp_path) -> None:
    np.savez(tmp_path / "03-01-05-02-01-01-12.npz", weights=_rows(30, 52), fps=30.0)
    (clip,) = open_data(tmp_path)
    with pytest.raises(FileFormatError, match="sound of this clip"):
        clip.read()


@pytest.mark.parametrize(
    "arrays",
    [
        {"weights": np.zeros((5, 51)), "fps": 30.0},
        {"weights": np.full((5, 52), np.nan), "fps": 30.0},
        {"weights": np.zeros((5, 52)), "fps": 0.0},
        {"weights": np.zeros((5, 52))},
        {"exp": np.zeros((5, 20)), "jaw": np.zeros((5, 3)), "fps": 30.0},
        {"exp": np.zeros((5, 50)), "jaw": np.zeros((4, 3)), "fps": 30.0},
        {"weights": np.zeros((0, 52)), "fps": 30.0},
    ],
)
def test_motion_of_other_shapes_is_refused(tmp_path, arrays) -> None:
    np.savez(tmp_path / "03-01-05-02-01-01-12.npz", **arrays)
    _sound(tmp_path / "03-01-05-02-01-01-12.wav")
    (clip,) = open_data(tmp_path)
    with pytest.raises(FileFormatError):
        clip.read()


@pytest.mark.parametrize("damage", ["header", "stream", "object"])
def test_archives_that_lie_are_refused_before_memory_is_taken(tmp_path, damage: str) -> None:
    path = tmp_path / "03-01-05-02-01-01-12.npz"
    _sound(path.with_suffix(".wav"))
    np.savez_compressed(path, weights=_rows(300, 52), fps=30.0)
    if damage == "header":
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({1 << 40}, 52)}}".ljust(117)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("weights.npy", b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + b"\n")
            archive.writestr("fps.npy", b"")
    elif damage == "stream":
        data = bytearray(path.read_bytes())
        data[200:260] = bytes(60)
        path.write_bytes(data)
    else:
        np.savez(path, weights=np.array([_Evil()] * 3, object), fps=30.0)
    (clip,) = open_data(tmp_path)
    with pytest.raises(FileFormatError, match="damaged"):
        clip.read()
    assert not _ran


def test_clips_that_would_take_too_much_memory_are_refused(tmp_path) -> None:
    # Rows of an index may say one face over and over.
    np.save(tmp_path / "data_verts.npy", _rows(2, 15069).reshape(2, 5023, 3))
    write = {
        "templates.pkl": {"FaceTalk_1_TA": _rows(5023, 3)},
        "subj_seq_to_idx.pkl": {"FaceTalk_1_TA": {"s": dict.fromkeys(range(40_000), 1)}},
        "raw_audio_fixed.pkl": {
            "FaceTalk_1_TA": {"s": {"audio": np.zeros(100, np.int16), "sample_rate": 22050}}
        },
    }
    for name, content in write.items():
        (tmp_path / name).write_bytes(pickle.dumps(content, protocol=2))
    (clip,) = open_data(tmp_path)
    with pytest.raises(FileFormatError, match="too long"):
        clip.read()


def test_an_emotion_that_is_none_is_refused(tmp_path) -> None:
    np.savez(tmp_path / "03-01-09-02-01-01-12.npz", weights=_rows(30, 52), fps=30.0)
    with pytest.raises(FileFormatError, match="emotion"):
        open_data(tmp_path)


def test_broken_json_is_refused(tmp_path) -> None:
    folder = tmp_path / "facial52"
    folder.mkdir()
    path = folder / "1_a.json"
    _sound(tmp_path / "wave16k" / "1_a.wav")
    for text in ("{", "[]", '{"names": ["jawOpen"], "frames": []}',
                 '{"names": ["jawOpen"], "frames": [{"weights": [1, 2], "time": 0}]}',
                 '{"names": ["jawOpen"], "frames": [{"weights": [1e999], "time": 1}]}',
                 '{"names": ["jawOpen"], "frames": [{"weights": [0.1], "time": 1},'
                 ' {"weights": [0.2], "time": 1}]}',
                 '{"names": ["ear"], "frames": [{"weights": [1], "time": 0}]}'):  # fmt: skip
        path.write_text(text)
        (clip,) = open_data(tmp_path)
        with pytest.raises(FileFormatError):
            clip.read()


def test_words_say_emotions() -> None:
    assert emotion_in(["take 3", "angry_2"]) == (4, 2)
    assert emotion_in(["Happy 1"]) == (2, 1)
    assert emotion_in(["neutral_2"]) == (0, 1)
    assert emotion_in(["unhappy", "interview"]) is None


def test_sound_is_sought_beside_and_in_other_folders(tmp_path) -> None:
    _sound(tmp_path / "wav" / "a.wav")
    assert sound_beside(tmp_path / "x" / "a.npy", tmp_path / "wav") == tmp_path / "wav" / "a.wav"
    assert sound_beside(tmp_path / "x" / "b.npy", tmp_path / "wav") is None
