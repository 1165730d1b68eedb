"""Takes as Live Link Face CSV, Audio2Face JSON and NPZ: written, read again, and bad files."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.face.exports import words as common
from polyorama.face.exports.a2f_json import read_a2f_json, write_a2f_json
from polyorama.face.exports.live_link_csv import (
    EYE_TURN,
    live_link_values,
    read_live_link_csv,
    write_live_link_csv,
)
from polyorama.face.exports.npz import read_take_npz, write_take_npz
from polyorama.face.exports.words import channel_of, sidecar_of
from polyorama.face.take import Provenance, Take
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, CHANNELS, LIVE_LINK
from polyorama.scene.faces.performance import Performance
from tests.engine.face_samples import wavy
from tests.engine.face_takes import PHONES, PROVENANCE, take

RATES = (60.0, 30.0, 24000 / 1001, 30000 / 1001, 12.5, 37.5, 120.0)


def same(read, wrote, atol=1e-6):
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=atol)
    assert read.performance.fps == pytest.approx(wrote.performance.fps, abs=1e-9)
    assert read.provenance == wrote.provenance


# --- names -----------------------------------------------------------------------------------


def test_names_are_known_in_any_spelling():
    for name in CHANNELS:
        spelled = (name, name.upper(), name[0].upper() + name[1:], f"Face.M_{name}"[:5] + name)
        assert all(channel_of(text) == name for text in spelled)
    assert channel_of("eyeBlink_L") == "eyeBlinkLeft"
    assert channel_of("mouthSmile_R") == "mouthSmileRight"
    assert channel_of("head_yaw") == "headYaw"
    assert channel_of("LeftEyeYaw") is None
    assert channel_of("") is None


# --- Live Link Face CSV ----------------------------------------------------------------------


@pytest.mark.parametrize("fps", RATES)
def test_csv_is_read_again_equal(tmp_path, fps):
    for frames in (1, 2, 150):
        wrote = Take(wavy(frames / fps, fps), PROVENANCE)
        write_live_link_csv(wrote, tmp_path / "take.csv")
        same(read_live_link_csv(tmp_path / "take.csv"), wrote)


def test_csv_has_the_published_header_and_a_line_a_frame(tmp_path):
    wrote = take(seconds=2.0)
    write_live_link_csv(wrote, tmp_path / "take.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "take.csv").read_text())))
    header = rows[0]
    assert header[:2] == ["Timecode", "BlendShapeCount"]
    assert sorted(header[2:]) == sorted(LIVE_LINK)
    assert header[header.index("JawRight") + 1] == "JawLeft"
    assert header[header.index("MouthRight") + 1] == "MouthLeft"
    others = [n for n in header[2:] if n not in ("JawLeft", "JawRight", "MouthLeft", "MouthRight")]
    assert others == [n for n in LIVE_LINK if n in others]
    assert len(rows) == 121
    assert [row[0] for row in rows[1:3]] == ["00:00:00:00.000", "00:00:00:01.000"]
    assert rows[62][0] == "00:00:01:01.000"
    assert {row[1] for row in rows[1:]} == {"61"}
    jaw = [float(row[header.index("JawLeft")]) for row in rows[1:]]
    np.testing.assert_allclose(jaw, wrote.performance.channel("jawLeft"), atol=1e-7)


def test_eyes_turn_as_they_look():
    rows = np.zeros((4, 55), np.float32)
    for frame, names in enumerate([
        ("eyeLookOutLeft", "eyeLookInRight"), ("eyeLookInLeft", "eyeLookOutRight"),
        ("eyeLookUpLeft", "eyeLookUpRight"), ("eyeLookDownLeft", "eyeLookDownRight"),
    ]):  # fmt: skip
        rows[frame, [CHANNEL_INDEX[name] for name in names]] = 1.0
    values = live_link_values(Performance(rows))
    yaw = [values[:, LIVE_LINK.index(f"{side}EyeYaw")] for side in ("Left", "Right")]
    pitch = [values[:, LIVE_LINK.index(f"{side}EyePitch")] for side in ("Left", "Right")]
    for side in range(2):
        np.testing.assert_allclose(yaw[side], np.array([1, -1, 0, 0]) * EYE_TURN, rtol=1e-6)
        np.testing.assert_allclose(pitch[side], np.array([0, 0, 1, -1]) * EYE_TURN, rtol=1e-6)


@pytest.mark.parametrize("fps", [60.0, 30.0, 24.0, 30000 / 1001])
def test_csv_alone_tells_its_rate_where_seconds_end(tmp_path, fps):
    wrote = Take(wavy(2.5, fps), PROVENANCE)
    write_live_link_csv(wrote, tmp_path / "take.csv")
    sidecar_of(tmp_path / "take.csv").unlink()
    read = read_live_link_csv(tmp_path / "take.csv")
    assert read.performance.fps == pytest.approx(fps, rel=1e-6)
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-6)
    assert read.provenance == Provenance("Live Link Face CSV")


def table(path, names, rows, codes=None, count=None):
    """A CSV file as other programs write one."""
    codes = codes or [f"10:00:{i // 60:02d}:{i % 60:02d}.000" for i in range(len(rows))]
    lines = [",".join(["Timecode", "BlendShapeCount", *names])]
    lines += [
        ",".join([code, str(count or len(names)), *(f"{v:.6f}" for v in row)])
        for code, row in zip(codes, rows, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8-sig")
    return path


def test_columns_go_by_name_in_any_order_and_number(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.random((90, 61))
    rows[:, 52:] *= 0.5
    for count in (51, 52, 61):
        names = [name.upper() for name in LIVE_LINK[:count]]
        order = rng.permutation(count)
        path = table(tmp_path / "a.csv", [names[i] for i in order], rows[:, :count][:, order])
        notes = []
        read = read_live_link_csv(path, notes=notes)
        known = min(count, 55)
        np.testing.assert_allclose(read.performance.weights[:, :known], rows[:, :known], atol=1e-6)
        assert not read.performance.weights[:, known:].any()
        assert any("missing" in text for text in notes) == (count < 61)


def test_degrees_are_told_from_radians_and_it_is_said(tmp_path):
    rows = np.zeros((70, 61))
    rows[:, 52] = np.linspace(0.0, 25.0, 70)
    path = table(tmp_path / "a.csv", LIVE_LINK, rows)
    notes = []
    read = read_live_link_csv(path, notes=notes)
    expected = np.radians(rows[:, 52])
    np.testing.assert_allclose(read.performance.channel("headYaw"), expected, atol=1e-6)
    assert any("degrees" in text for text in notes)
    told = read_live_link_csv(path, angles="radians")
    np.testing.assert_allclose(told.performance.channel("headYaw"), rows[:, 52], atol=1e-6)
    rows[:, 52] /= 25.0
    small = read_live_link_csv(table(tmp_path / "b.csv", LIVE_LINK, rows), angles="degrees")
    expected = np.radians(rows[:, 52])
    np.testing.assert_allclose(small.performance.channel("headYaw"), expected, atol=1e-7)
    with pytest.raises(UsageError, match="degrees or radians"):
        read_live_link_csv(path, angles="turns")
    with pytest.raises(UsageError, match="frames a second"):
        read_live_link_csv(path, fps=0.0)


def test_recordings_that_jitter_are_made_even(tmp_path):
    rng = np.random.default_rng(1)
    # Frames that were missed, over midnight.
    kept = np.sort(rng.choice(np.arange(300), 240, replace=False))
    kept[0], kept[-1] = 0, 299
    start = 86400 * 60 - 100
    codes = []
    for frame in kept + start:
        second, rest = divmod(int(frame), 60)
        second %= 86400
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        codes.append(f"{clock}:{rest:02d}.000")
    rows = np.zeros((len(kept), 61))
    rows[:, LIVE_LINK.index("JawOpen")] = kept / 300.0
    notes = []
    path = table(tmp_path / "a.csv", LIVE_LINK, rows, codes)
    read = read_live_link_csv(path, fps=60.0, notes=notes)
    assert read.performance.fps == 60.0
    np.testing.assert_allclose(
        read.performance.channel("jawOpen"), np.arange(300) / 300.0, atol=1e-5
    )
    assert any("uneven" in text for text in notes)


def test_every_second_frame_recorded_is_half_the_rate(tmp_path):
    codes = [f"10:00:{i // 30:02d}:{i % 30 * 2:02d}.000" for i in range(90)]
    path = table(tmp_path / "a.csv", LIVE_LINK, np.zeros((90, 61)), codes)
    read = read_live_link_csv(path)
    assert (read.performance.fps, len(read.performance)) == (30.0, 90)


def test_provenance_of_other_content_is_not_used(tmp_path):
    path = tmp_path / "take.csv"
    write_live_link_csv(take(), path)
    path.write_text(path.read_text().replace("0.5", "0.6"))
    notes = []
    assert read_live_link_csv(path, notes=notes).provenance.seed == 0
    assert any("other content" in text for text in notes)
    sidecar_of(path).write_text("{")
    with pytest.raises(FileFormatError, match="no JSON"):
        read_live_link_csv(path)


def with_line(number, text):
    def change(lines):
        lines[number] = text(lines[number]) if callable(text) else text
        return lines

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: ["a,b,c", *lines[1:]], "no recording of Live Link"),
        (lambda lines: lines[:1], "no frame"),
        (with_line(3, lambda line: line[:-11]), "Line 4 has 62 values"),
        (with_line(3, lambda line: line + ",1"), "Line 4 has 64 values"),
        (with_line(2, lambda line: line.replace(",61,", ",61,nan,", 1)), "Line 3"),
        (with_line(5, "12:00,61" + ",0" * 61), "Line 6 has the time code '12:00'"),
        (with_line(1, "00:00:00:00.000,61" + ",nan" * 61), "'nan' as EyeBlinkLeft"),
        (with_line(1, "00:00:00:00.000,61" + ",1e300" * 61), "no number"),
        (with_line(1, "00:00:09:00.000,61" + ",0" * 61), "before that of the last"),
        (with_line(0, lambda line: line.replace("JawLeft", "JawRight")), "jawRight twice"),
        (with_line(0, "Timecode,BlendShapeCount" + ",x" * 61), "no shape of ARKit"),
    ],
)
def test_bad_lines_are_named(tmp_path, change, words):
    write_live_link_csv(take(0.5), tmp_path / "take.csv")
    lines = (tmp_path / "take.csv").read_text().splitlines()
    (tmp_path / "bad.csv").write_text("\n".join(change(lines)) + "\n")
    with pytest.raises(FileFormatError, match=words) as raised:
        read_live_link_csv(tmp_path / "bad.csv")
    assert "bad.csv" in str(raised.value)


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    for data in (
        bytes(range(256)),
        b'Timecode,JawOpen\n0:0:0:0,"' + b"x" * 200_000,
        b'Timecode,JawOpen\n0:0:0:0,"0\n"\n',
        b"Timecode,JawOpen\n0:0:0:0" + b"," * 200_000,
        b"\n",
    ):
        path.write_bytes(data)
        with pytest.raises(FileFormatError):
            read_live_link_csv(path)
    # With most of a day between two frames it would be a take of five million.
    codes = [f"{hour:02d}:00:00:{frame:02d}.0" for hour, frame in ((0, 0), (0, 1), (0, 2), (22, 0))]
    table(path, ["JawOpen"], np.zeros((4, 1)), codes)
    with pytest.raises(FileFormatError, match="more than"):
        read_live_link_csv(path)


def most_memory(call):
    """Most bytes that Python and numpy held at a time beside what they held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("write", "read"), [(write_live_link_csv, read_live_link_csv), (write_a2f_json, None)]
)
def test_hours_are_written_and_read_in_little_more_memory_than_they_take(tmp_path, write, read):
    short, long = (Take(Performance(np.full((n, 55), 0.5)), PROVENANCE) for n in (1200, 2400))
    peaks = [most_memory(lambda t=t: write(t, tmp_path / f"{len(t.performance)}")) for t in
             (short, long)]  # fmt: skip
    # As Python's numbers a row would take 61 times 32 bytes.
    assert (peaks[1] - peaks[0]) / 1200 < 1000
    if read is not None:
        peak = most_memory(lambda: read(tmp_path / "2400"))
        assert peak < 2400 * 2500 + 1_000_000


# --- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", RATES)
def test_json_is_read_again_equal(tmp_path, fps):
    wrote = take(fps=fps)
    write_a2f_json(wrote, tmp_path / "take.json")
    read = read_a2f_json(tmp_path / "take.json")
    same(read, wrote)
    assert read.phones == PHONES
    np.testing.assert_allclose(read.emotion, wrote.emotion, atol=1e-6)


def test_json_has_what_audio2face_writes(tmp_path):
    wrote = take()
    write_a2f_json(wrote, tmp_path / "take.json")
    document = json.loads((tmp_path / "take.json").read_text("utf-8"))
    assert document["exportFps"] == 60
    assert document["facsNames"] == list(ARKIT)
    assert (document["numPoses"], document["numFrames"]) == (52, 90)
    np.testing.assert_allclose(document["weightMat"], wrote.performance.weights[:, :52], atol=1e-7)
    assert document["trackPath"] == PROVENANCE.sound


def plain():
    return {
        "exportFps": 30.0, "trackPath": "C:\\voice.wav", "numPoses": 3, "numFrames": 2,
        "facsNames": ["JawOpen", "browLowerL", "MouthSmile_L"],
        "weightMat": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
    }  # fmt: skip


def test_json_of_other_programs_is_read(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(plain()))
    notes = []
    read = read_a2f_json(tmp_path / "a.json", notes)
    np.testing.assert_allclose(read.performance.channel("jawOpen"), [0.1, 0.4])
    np.testing.assert_allclose(read.performance.channel("mouthSmileLeft"), [0.3, 0.6])
    assert read.performance.fps == 30.0
    assert read.provenance.sound == "C:\\voice.wav"
    assert any("browLowerL" in text for text in notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"facsNames": None}, "facsNames"),
        ({"facsNames": ["a", "b", "c"]}, "no shape of ARKit"),
        ({"facsNames": ["jawOpen", "JawOpen", "x"]}, "twice"),
        ({"facsNames": [["jawOpen"], "b", "c"]}, "no text"),
        ({"weightMat": []}, "no list of rows"),
        ({"weightMat": [[1, 2, 3], [1, 2]]}, "row 2"),
        ({"weightMat": [[1, 2, "3"], [1, 2, 3]]}, "no number"),
        ({"weightMat": {"0": 1}}, "no list"),
        ({"numFrames": 10**12}, "numFrames is not 2"),
        ({"exportFps": 0}, "exportFps"),
        ({"exportFps": "30"}, "exportFps"),
        ({"polyorama": 3}, "no object"),
        ({"polyorama": {"provenance": {"seed": 1.5}}}, "seed"),
        ({"polyorama": {"provenance": {}, "phones": {"phones": [["AA", 1, 0, 0]]}}}, "phone"),
        ({"polyorama": {"provenance": {}}}, "rotations of the head"),
    ],
)
def test_bad_json_is_refused_in_words(tmp_path, changes, words):
    (tmp_path / "bad.json").write_text(json.dumps(plain() | changes))
    with pytest.raises(FileFormatError, match=words) as raised:
        read_a2f_json(tmp_path / "bad.json")
    assert "bad.json" in str(raised.value)


def test_json_that_is_none_is_refused(tmp_path):
    path = tmp_path / "bad.json"
    for data in (b"{", b"[" * 100_000, b"\xff\xfe", b"[1]", b'{"exportFps": NaN}'):
        path.write_bytes(data)
        with pytest.raises(FileFormatError):
            read_a2f_json(path)


def test_json_of_countless_small_lists_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "_MAX_NESTED", 100)
    (tmp_path / "bad.json").write_bytes(b"[" + b"[]," * 200 + b"[]]")
    with pytest.raises(FileFormatError, match=r"more parts.*bad\.json"):
        read_a2f_json(tmp_path / "bad.json")


# --- NPZ -------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", RATES)
def test_npz_keeps_everything_bit_for_bit(tmp_path, fps):
    wrote = take(fps=fps)
    write_take_npz(wrote, tmp_path / "take.npz")
    read = read_take_npz(tmp_path / "take.npz")
    np.testing.assert_array_equal(read.performance.weights, wrote.performance.weights)
    np.testing.assert_array_equal(read.emotion, wrote.emotion)
    np.testing.assert_array_equal(read.sound.samples, wrote.sound.samples)
    assert (read.sound.rate, read.sound.start, read.sound.gain) == (16000, 0.0, 1.0)
    assert read.performance.fps == wrote.performance.fps
    assert read.phones == wrote.phones
    assert read.provenance == wrote.provenance
    bare = Take(wrote.performance, Provenance("rules"))
    write_take_npz(bare, tmp_path / "bare.npz")
    read = read_take_npz(tmp_path / "bare.npz")
    assert read.sound is None
    assert read.emotion is None


def test_numpy_reads_npz_without_pickle(tmp_path):
    wrote = take()
    write_take_npz(wrote, tmp_path / "take.npz")
    with np.load(tmp_path / "take.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["weights"], wrote.performance.weights)
    write_take_npz(wrote, tmp_path / "again.npz")
    assert (tmp_path / "take.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def repacked(path, target, change, kind=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members = change(members)
    with zipfile.ZipFile(target, "w", kind) as new:
        for name, data in members.items():
            new.writestr(name, data)
    return target


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0))
    return stream.getvalue()


def edited(**changes):
    return lambda m: m | {"take.json": json.dumps(json.loads(m["take.json"]) | changes).encode()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: {k: v for k, v in m.items() if k != "take.json"}, "take.json is missing"),
        (lambda m: {k: v for k, v in m.items() if k != "weights.npy"}, "weights are missing"),
        (lambda m: m | {"other.npy": npy(np.zeros(3))}, "no place"),
        (lambda m: m | {"weights.npy": npy(np.zeros((90, 55)))}, "float64"),
        (lambda m: m | {"weights.npy": npy(np.array([{}], object))}, "damaged"),
        (lambda m: m | {"weights.npy": npy(np.full((90, 55), np.nan, np.float32))}, "finite"),
        (lambda m: m | {"weights.npy": npy(np.zeros((90, 54), np.float32))}, "channels"),
        (lambda m: m | {"emotion.npy": npy(np.zeros((9, 8), np.float32))}, "emotion"),
        (lambda m: m | {"weights.npy": m["weights.npy"].replace(b"(90, 55)", b"(90, 5, ")},
         "damaged"),
        (lambda m: m | {"weights.npy": m["weights.npy"].replace(b"(90, 55)", b"(9**9,5)")},
         "damaged"),
        (lambda m: m | {"weights.npy": m["weights.npy"].replace(b"(90, 55)", b"(90,999)")},
         "damaged"),
        (lambda m: m | {"weights.npy": m["weights.npy"].replace(b"(90, 55)", b"(-90,55)")},
         "damaged"),
        (edited(format=2), "later Polyorama"),
        (edited(format="x"), "format"),
        (edited(fps=0), "fps"),
        (edited(channels=["jawOpen"] * 55), "twice"),
        (edited(provenance={"channels": [1]}), "channels"),
        (edited(phones={"phones": [["QQ", 0, 1, 0]]}), "no phone"),
        (edited(phones={"phones": [["AA", 0, 1, 0], ["AA", 0.5, 2, 0]]}), "overlap"),
        (edited(sound={"rate": 0, "start": 0, "gain": 1}), "rate"),
        (edited(sound={"rate": 16000, "start": 0, "gain": -1}), "sound"),
    ],
)  # fmt: skip
def test_bad_npz_is_refused_in_words(tmp_path, change, words):
    write_take_npz(take(), tmp_path / "take.npz")
    path = repacked(tmp_path / "take.npz", tmp_path / "bad.npz", change)
    with pytest.raises(FileFormatError, match=words) as raised:
        read_take_npz(path)
    assert "bad.npz" in str(raised.value)


def test_npz_that_is_packed_or_cut_short_is_refused(tmp_path):
    write_take_npz(take(0.1), tmp_path / "take.npz")
    packed = repacked(
        tmp_path / "take.npz", tmp_path / "packed.npz", lambda m: m, zipfile.ZIP_DEFLATED
    )
    with pytest.raises(FileFormatError, match="packed"):
        read_take_npz(packed)
    whole = (tmp_path / "take.npz").read_bytes()
    for size in range(0, len(whole), len(whole) // 17):
        (tmp_path / "cut.npz").write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            read_take_npz(tmp_path / "cut.npz")


# --- all -------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [write_live_link_csv, write_a2f_json, write_take_npz])
def test_nothing_half_written_stays(tmp_path, write):
    with pytest.raises(OutputError):
        write(take(), tmp_path / "missing" / "take.csv")
    write(take(), tmp_path / "take.out")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("read", [read_live_link_csv, read_a2f_json, read_take_npz])
def test_missing_files_are_named(tmp_path, read):
    with pytest.raises(FileFormatError, match=r"no such file: .*take\.out"):
        read(tmp_path / "take.out")
