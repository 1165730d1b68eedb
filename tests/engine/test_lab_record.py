"""Recorded runs: the live run again, changed parameters, kills, damage, and hostile folders."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
import zstandard

import polyorama as po
from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.record import Record, Recorder
from polyorama.lab.record_file import FrameWriter, read_frames
from polyorama.lab.replaying import recomputed, resumed
from polyorama.lab.runner import Runner
from polyorama.lab.snapshot import Snapshot
from polyorama.verbs.lab import check_run_job, resume_job, run_job
from tests.engine.lab_looks import bits
from tests.engine.lab_samples import Failing, Faulty, FaultyParams, Walk, WalkParams

SAMPLES = Path(__file__).with_name("lab_samples.py")


def recorded(folder: Path, steps: int = 60, **options) -> Record:
    """A walk in which a slider is dragged and the floor is painted."""
    floor = np.linspace(0.0, 1.0, 96).reshape(8, 12)
    changes = [(10, "drift", 0.7), (20, "floor", floor), (31, "kind", "coin")]
    changes = [change for change in changes if change[0] <= steps]
    return run(
        run_job(Walk(), seed=3, steps=steps, every=7, folder=folder, changes=changes, **options)
    )


def shown(record) -> list[dict[str, object]]:
    return [bits(record.snapshot(row)) for row in range(record.length)]


@pytest.fixture
def walk(tmp_path) -> Record:
    return recorded(tmp_path / "run")


# The live run again


def test_what_is_read_is_what_was_seen(tmp_path) -> None:
    live = Runner(Walk(), 3)
    record = Recorder.create(tmp_path / "run", Walk(), 3)
    seen = Runner(Walk(), 3, record)
    for runner in (live, seen):
        runner.step(10)
        runner.set("drift", 0.7)
        runner.step(10)
        runner.paint("floor", np.ones((8, 12)))
        runner.step(30)
    expected = [bits(live.history.snapshot(row)) for row in range(live.history.length)]
    seen.close()
    read = Record.open(tmp_path / "run", Walk)
    assert shown(read) == expected
    assert read.changes == live.history.changes
    assert read.done == live.done
    assert {k: v.tobytes() for k, v in read.columns.items()} == {
        k: v.tobytes() for k, v in live.history.columns.items()
    }


def test_a_replay_repeats_the_run_and_says_so_where_it_does_not(walk, monkeypatch) -> None:
    _, history = run(recomputed(walk))
    assert [bits(history.snapshot(row)) for row in range(history.length)] == shown(walk)
    advance = Walk.advance

    def other(self, count):
        done = advance(self, count)
        if self.steps + done > 40:
            self.place["fair"] = np.nextafter(self.place["fair"], 9.0)
        return done

    monkeypatch.setattr(Walk, "advance", other)
    with pytest.raises(ExperimentError, match="'place/fair' differs at step 42"):
        run(recomputed(walk))


def test_a_changed_slider_is_in_the_record(walk) -> None:
    told = [(change.step, change.name) for change in walk.changes]
    assert told == [(10, "drift"), (20, "floor"), (31, "kind")]
    assert walk.changes[0].value == 0.7
    assert walk.changes[1].value.shape == (8, 12)
    without = po.run_experiment(Walk(), seed=3, steps=60, every=7)
    assert walk.columns["place/drifting"][-1] != without.columns["place/drifting"][-1]


def test_a_run_says_what_it_began_with(walk) -> None:
    about = json.loads((walk.folder / "run.json").read_text("utf-8"))
    assert about["seed"] == 3
    assert about["params"] == {"horizon": 400, "drift": 0.1, "kind": "normal", "held": False}
    assert about["versions"]["numpy"] == np.__version__
    again = walk.experiment()
    assert isinstance(again, Walk)
    assert again.active == ("fair", "drifting")


def test_seeking_finds_the_snapshot_of_a_step(walk) -> None:
    steps = walk.steps
    for step in (-5, 0, 1, 6, 7, 30, 59, 60, 999):
        row = walk.index_at(step)
        assert steps[row] <= max(step, 0)
        assert row + 1 == walk.length or steps[row + 1] > step
    with pytest.raises(UsageError, match="no snapshot 99"):
        walk.snapshot(99)
    with pytest.raises(UsageError):
        walk.snapshot(0.5)


def test_a_folder_is_a_run_for_ever(walk, tmp_path) -> None:
    for where in (walk.folder, tmp_path / "run" / "run.json", tmp_path):
        with pytest.raises(OutputError):
            po.run_experiment(Walk(), steps=1, folder=where)
    assert shown(Record.open(walk.folder, Walk)) == shown(walk)


def test_one_process_records_at_a_time(walk) -> None:
    _, recorder = Recorder.continuing(walk.folder)
    with pytest.raises(OutputError, match="Another process is recording here"):
        run(resumed(walk.folder, Walk))
    recorder.close()
    run(resumed(walk.folder, Walk)).close()


def test_killed_at_once_it_leaves_nothing_that_is_in_the_way(tmp_path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "recording.lock").touch()
    with pytest.raises(FileFormatError, match="holds no run"):
        Record.open(folder)
    assert recorded(folder).steps[-1] == 60
    assert not (folder / "recording.lock").exists()


# Bounded size


def test_arrays_are_thinned_out_on_disk_evenly(tmp_path) -> None:
    folder = tmp_path / "run"
    recorder = Recorder.create(folder, Walk(), 3, budget=12_000)
    runner = Runner(Walk(), 3, recorder)
    for _ in range(400):
        runner.step(1)
        recorder.flush()
    runner.close()
    record = Record.open(folder, Walk)
    files = sorted(path.name for path in folder.glob("arrays-*"))
    assert files[0] > "arrays-00.run"
    assert sum(path.stat().st_size for path in folder.glob("arrays-*")) < 16_000
    assert len(set(np.diff(record.kept()).tolist())) == 1
    for row in record.kept():
        assert bits(record.snapshot(row)) == bits(runner.history.snapshot(row))
    later = run(resumed(folder, Walk))
    assert later.history.length == 401
    later.close()


def test_what_is_too_large_is_not_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyorama.lab.record_file._MOST_BLOCK", 3_000)
    recorder = Recorder.create(tmp_path / "run", Walk(), 3)
    recorder.append(Snapshot(0, {"a": np.zeros(10)}))
    recorder.flush()
    recorder.append(Snapshot(1, {"a": np.zeros(1000)}))
    with pytest.raises(OutputError, match=r"8\.07 kB is too large"):
        recorder.flush()
    recorder.close()
    assert Record.open(tmp_path / "run").length == 2


# Runs that end early


@pytest.mark.parametrize(
    ("subject", "seed", "words"),
    [
        (Faulty(FaultyParams("begin")), 0, "no beginning"),
        (Walk(), -1, "A seed is"),
    ],
)
def test_a_run_that_cannot_begin_leaves_nothing(subject, seed, words, tmp_path) -> None:
    with pytest.raises(po.PolyoramaError, match=words):
        po.run_experiment(subject, seed=seed, folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine").mkdir()
    with pytest.raises(po.PolyoramaError, match=words):
        po.run_experiment(subject, seed=seed, folder=tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_run_that_fails_is_readable_and_goes_on_once_it_is_mended(tmp_path, monkeypatch) -> None:
    with pytest.raises(ExperimentError):
        po.run_experiment(Failing(), seed=1, steps=60, folder=tmp_path / "run")
    assert Record.open(tmp_path / "run").steps[-1] == 27
    monkeypatch.setattr(Failing, "at", 1000)
    whole = run(resume_job(tmp_path / "run", steps=60, kind=Failing))
    assert shown(whole) == shown(po.run_experiment(Failing(), seed=1, steps=60))


def test_killed_while_it_records_it_is_readable_and_resumes(tmp_path) -> None:
    folder = tmp_path / "run"
    script = (
        "import polyorama as po; "
        f"walk = po.experiment({f'{SAMPLES}:Walk'!r}, horizon=10_000_000, drift=0.3); "
        f"po.run_experiment(walk, seed=3, steps=10_000_000, every=5, folder={str(folder)!r})"
    )
    child = subprocess.Popen([sys.executable, "-c", script])
    end = time.monotonic() + 60.0
    rows = folder / "rows.run"
    while time.monotonic() < end and not (rows.exists() and len(read_frames(rows)[0]) >= 2):
        time.sleep(0.01)
    child.kill()
    child.wait()
    record = Record.open(folder, Walk)
    reached = int(record.steps[-1])
    assert record.length >= 2
    assert not record.done
    whole = run(resume_job(folder, steps=reached + 20, every=5, kind=Walk))
    again = Walk(WalkParams(horizon=10_000_000, drift=0.3))
    again.reset(3)
    assert bits(again.step(reached + 20)) == bits(whole.snapshot(-1))
    assert whole.length == record.length + 4
    run(recomputed(whole))


def test_cut_off_anywhere_it_ends_with_the_last_whole_snapshot(walk) -> None:
    whole = shown(walk)
    rows = walk.folder / "rows.run"
    first = {"rows.run": read_frames(rows)[0][0].end, "arrays-20.run": 0}
    for path in (rows, walk.folder / "arrays-20.run"):
        data = path.read_bytes()
        for size in [*range(0, 20), *range(20, len(data), 37)]:
            path.write_bytes(data[:size])
            if size < first[path.name]:
                with pytest.raises(FileFormatError, match="before its first snapshot"):
                    Record.open(walk.folder, Walk)
                continue
            record = Record.open(walk.folder, Walk)
            scalars = [record.rows.scalars.row(row) for row in range(record.length)]
            assert scalars == [walk.rows.scalars.row(row) for row in range(record.length)]
        path.write_bytes(data)
    assert shown(Record.open(walk.folder, Walk)) == whole


@pytest.mark.parametrize("name", ["rows.run", "arrays-00.run"])
def test_a_cut_run_resumes_and_is_whole_again(walk, name) -> None:
    whole = shown(walk)
    path = walk.folder / name
    ends = [frame.end for frame in read_frames(path)[0]]
    for size in (0, 5, ends[0] - 3) if name == "arrays-00.run" else (ends[0] + 9, ends[-1] - 1):
        copy = walk.folder.with_name(f"cut-{size}")
        copy.mkdir()
        for part in walk.folder.iterdir():
            data = part.read_bytes()
            (copy / part.name).write_bytes(data[:size] if part.name == name else data)
        whole_again = run(resume_job(copy, steps=60, every=7, kind=Walk))
        assert whole_again.steps[-1] == 60
        if name == "arrays-00.run":  # no scalar was lost
            assert [one[""] for one in shown(whole_again)] == [one[""] for one in whole]
        run(recomputed(whole_again))


def test_arrays_whose_scalars_were_lost_do_not_come_back(walk) -> None:
    """As after a power failure: the last rows are gone, their arrays are not."""
    rows = walk.folder / "rows.run"
    ends = [frame.end for frame in read_frames(rows)[0]]
    rows.write_bytes(rows.read_bytes()[: ends[-2]])
    short = Record.open(walk.folder, Walk)
    assert short.length < walk.length
    assert max(short.kept()) < short.length
    run(resumed(walk.folder, Walk)).close()
    for path in walk.folder.glob("arrays-*"):
        for frame in read_frames(path)[0]:
            assert max(frame.described["rows"]) < short.length


@contextlib.contextmanager
def files_up_to(size: int):
    """Let the system refuse to make files any larger, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_where_the_system_refuses_the_run_stops_and_can_go_on(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyorama.lab.record._FLUSH_ROWS", 20)
    folder = tmp_path / "run"
    with files_up_to(6_000), pytest.raises(OutputError, match="cannot be recorded any further"):
        run(run_job(Walk(WalkParams(horizon=10**6)), steps=10**6, every=1, folder=folder))
    record = Record.open(folder, Walk)
    assert 20 < record.length < 10_000
    assert not (folder / "recording.lock").exists()
    later = run(resume_job(folder, steps=int(record.steps[-1]) + 10, every=1, kind=Walk))
    assert later.length == record.length + 10


def test_after_any_failure_nothing_follows_what_is_missing(tmp_path, monkeypatch) -> None:
    """Rows that were lost on the writing thread are told once, and leave a run that opens."""
    from polyorama.lab import record as module

    experiment = Walk(WalkParams(horizon=100))
    recorder = Recorder.create(tmp_path / "run", experiment, 0)
    recorder.append(experiment.reset(0))
    recorder.append(experiment.step(1))
    recorder.flush()
    good = module.encoded_rows

    def short_of_memory(*arguments):
        monkeypatch.setattr(module, "encoded_rows", good)
        raise MemoryError("no room")

    monkeypatch.setattr(module, "encoded_rows", short_of_memory)
    recorder.append(experiment.step(1))
    with pytest.raises(MemoryError, match="no room"):
        recorder.flush()
    recorder.append(experiment.step(1))
    recorder.close()
    assert Record.open(tmp_path / "run").length == 2


def test_where_the_system_refuses_from_the_start_nothing_is_left(tmp_path) -> None:
    for size in (0, 20, 300):
        with files_up_to(size), pytest.raises(OutputError):
            po.run_experiment(Walk(), steps=5, folder=tmp_path / "run")
        assert list(tmp_path.iterdir()) == []


# Damage


def test_damage_is_said_or_the_end_is_lost_but_nothing_is_ever_other(walk) -> None:
    whole = shown(walk)
    order = np.random.default_rng(0)
    refused = 0
    for path in sorted(walk.folder.iterdir()):
        if path.name == "run.json":
            continue
        data = path.read_bytes()
        for place in order.choice(len(data), min(len(data), 25), replace=False):
            broken = bytearray(data)
            broken[place] ^= 1 << int(order.integers(8))
            path.write_bytes(broken)
            try:
                found = Record.open(walk.folder, Walk)
                seen = shown(found)
            except FileFormatError:
                refused += 1
                continue
            for row, (one, other) in enumerate(zip(seen, whole, strict=False)):
                if found.arrays_at(row) == walk.arrays_at(row):
                    assert one == other
                assert one[""] == other[""]
        path.write_bytes(data)
    assert refused > 40


def test_damage_in_the_middle_is_no_end(walk) -> None:
    """Else going on would cut off all that follows."""
    path = walk.folder / "rows.run"
    data = bytearray(path.read_bytes())
    frames = read_frames(path)[0]
    assert len(frames) > 3
    data[frames[1].start - 5] ^= 1  # in the description of the second
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="A part of this recorded run is damaged"):
        Record.open(walk.folder, Walk)
    with pytest.raises(FileFormatError):
        run(resume_job(walk.folder, kind=Walk))
    assert path.read_bytes() == bytes(data)


# Folders that somebody else made


HOSTILE_ABOUT = {
    "no JSON": "{",
    "a list": "[]",
    "deep": "[" * 100_000,
    "not a run": '{"polyorama": "project"}',
    "newer": {"format": 2},
    "no seed": {"seed": "1"},
    "true": {"seed": True},
    "no params": {"params": []},
    "rivals": {"rivals": "fair"},
    "paintings": {"paintings": {"floor": [["a"]]}},
    "ragged": {"paintings": {"floor": [[1.0], [1.0, 2.0]]}},
    "nan": '{"polyorama": "run", "seed": NaN}',
    "digits": '{"polyorama": "run", "seed": ' + "9" * 10_000 + "}",
    "versions": {"versions": {"numpy": 2}},
}


@pytest.mark.parametrize("what", HOSTILE_ABOUT)
def test_no_description_of_a_run(what, walk) -> None:
    path = walk.folder / "run.json"
    wrong = HOSTILE_ABOUT[what]
    if isinstance(wrong, dict):
        wrong = json.dumps({**json.loads(path.read_text("utf-8")), **wrong})
    path.write_text(wrong, "utf-8")
    with pytest.raises(FileFormatError) as told:
        Record.open(walk.folder)
    assert "run.json" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": -5},
        {"params": {"drift": 99.0}},
        {"params": {"nobody": 1}},
        {"params": {"drift": [[[]]]}},
        {"rivals": ["nobody"]},
        {"paintings": {"floor": [[9.0]]}},
        {"experiment": "no/such"},
    ],
)
def test_a_run_that_does_not_fit_its_experiment_can_be_looked_at_only(changed, walk) -> None:
    path = walk.folder / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changed}), "utf-8")
    assert Record.open(walk.folder).steps[-1] == 60
    with pytest.raises(UsageError):
        run(recomputed(Record.open(walk.folder, None if "experiment" in changed else Walk)))


def test_a_record_runs_no_file_that_it_names(walk, tmp_path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\nclass Walk: pass\n", "utf-8")
    path = walk.folder / "run.json"
    about = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**about, "experiment": f"{trap}:Walk"}), "utf-8")
    record = Record.open(walk.folder)
    for use in (record.experiment, lambda: run(check_run_job(walk.folder)),
                lambda: run(resume_job(walk.folder)),
                lambda: record.export(tmp_path / "again.py")):  # fmt: skip
        with pytest.raises(UsageError, match="not installed here"):
            use()
    assert not (tmp_path / "sprung").exists()


def crafted(folder: Path, name: str, *frames: tuple[str, dict, bytes]) -> None:
    """Replace a file by one with right checksums and wrong contents."""
    (folder / name).unlink()
    writer = FrameWriter(folder / name)
    for kind, described, block in frames:
        writer.write(kind, described, block)
    writer.close()


def rows_of(**other) -> tuple[str, dict, bytes]:
    described = {"first": 0, "count": 2, "notes": [], "ends": [], "acting": [],
                 "scalars": [["step", False]], **other}  # fmt: skip
    planes = np.array([0.0, 1.0]).view(np.uint8).reshape(2, 8).T.tobytes()
    return "ROWS", described, planes


def test_crafted_rows_are_read_where_they_are_right(walk) -> None:
    crafted(walk.folder, "rows.run", rows_of(notes=[[1, "hello"]], ends=[1]))
    record = Record.open(walk.folder)
    assert record.steps.tolist() == [0.0, 1.0]
    assert (record.snapshot(1).note, record.done) == ("hello", True)


@pytest.mark.parametrize(
    "other",
    [
        {"count": 1 << 40},
        {"count": 1 << 40, "scalars": []},
        {"count": -1},
        {"count": 1.0},
        {"count": True, "scalars": []},
        {"first": 7},
        {"scalars": [["place", False]]},
        {"scalars": [["step", True]]},
        {"scalars": [["step", False], ["more", False]]},
        {"scalars": [["step"]]},
        {"scalars": [[5, False]]},
        {"scalars": [["x" * 5000, False]]},
        {"scalars": [[str(i), False] for i in range(5000)]},
        {"scalars": None},
        {"acting": {}},
        {"notes": [[2, "late"]]},
        {"notes": [[0, 5]]},
        {"notes": [["0", "a"]]},
        {"notes": "abc"},
        {"ends": [5]},
        {"ends": [0, 0, 0]},
    ],
)
def test_crafted_rows_are_refused(other, walk) -> None:
    crafted(walk.folder, "rows.run", rows_of(**other))
    with pytest.raises(FileFormatError, match="The recorded run is damaged"):
        Record.open(walk.folder)


@pytest.mark.parametrize(
    "steps", [(1.0, 0.0), (0.5, 1.0), (-1.0, 0.0), (0.0, np.nan), (0.0, 1e300)]
)
def test_steps_that_are_none_are_refused(steps, walk) -> None:
    kind, described, _ = rows_of()
    block = np.array(steps, np.float64).view(np.uint8).reshape(2, 8).T.tobytes()
    crafted(walk.folder, "rows.run", (kind, described, block))
    with pytest.raises(FileFormatError, match="steps that"):
        Record.open(walk.folder)


@pytest.mark.parametrize(
    "other",
    [
        {"dtype": "|O"},
        {"dtype": "<U4"},
        {"dtype": "<c16"},
        {"dtype": ">f8"},
        {"dtype": 5},
        {"dtype": "<f8, <f8"},
        {"shape": [1 << 40, 1 << 40]},
        {"shape": [-1]},
        {"shape": [2, -2]},
        {"shape": [3]},
        {"shape": 2},
        {"shape": [1] * 9},
        {"rows": "all"},
        {"key": 7},
    ],
)
def test_crafted_arrays_are_refused(other, walk) -> None:
    entry = {"key": "visits", "dtype": "<f8", "shape": [2], "rows": [0], **other}
    frame = ("ARRS", {"rows": [0], "arrays": [entry]}, bytes(16))
    crafted(walk.folder, "arrays-20.run", frame)
    record = Record.open(walk.folder)
    with pytest.raises(FileFormatError, match="The recorded run is damaged"):
        record.snapshot(0)


def test_crafted_places_are_refused(walk) -> None:
    for rows in ([], None, ["0"], [-1], [True]):
        frame = ("ARRS", {"rows": rows, "arrays": []}, b"")
        crafted(walk.folder, "arrays-20.run", frame)
        with pytest.raises(FileFormatError, match="The recorded run is damaged"):
            Record.open(walk.folder)


@pytest.mark.parametrize(
    "described",
    [
        {"step": -1, "name": "drift", "index": 1, "value": 0.5},
        {"step": 1, "name": 5, "index": 1, "value": 0.5},
        {"step": 1, "name": "drift", "index": 1, "value": None},
        {"step": 1, "name": "drift", "index": 1, "value": {"a": 1}},
        {"step": 1, "name": "floor", "index": 1, "shape": [1 << 30, 1 << 30]},
        {"step": 1, "name": "floor", "index": 1, "shape": [2]},
    ],
)
def test_crafted_changes_are_refused(described, walk) -> None:
    crafted(walk.folder, "rows.run", rows_of(), ("CHNG", described, b""))
    with pytest.raises(FileFormatError, match="The recorded run is damaged"):
        Record.open(walk.folder)


def raw_frame(described: bytes, packed: bytes, nbytes: int, kind: bytes = b"ROWS") -> bytes:
    head = struct.pack("<4sIIQI", kind, len(described), len(packed), nbytes, zlib.crc32(packed))
    own = zlib.crc32(described, zlib.crc32(head))
    return head + struct.pack("<I", own) + described + packed


@pytest.mark.parametrize("claimed", [16, 1 << 20, 1 << 31])
def test_a_bomb_is_not_unpacked(claimed, walk) -> None:
    """A gigabyte of zeros packed into some kilobytes, whatever it is said to be."""
    packer = zstandard.ZstdCompressor().compressobj()  # does not say how large it becomes
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    described = json.dumps(rows_of()[1]).encode()
    path = walk.folder / "rows.run"
    mark = path.read_bytes()[:16]
    path.write_bytes(mark + raw_frame(described, packed, claimed) + raw_frame(b"{}", b"", 0))
    with pytest.raises(FileFormatError, match="damaged"):
        Record.open(walk.folder)


def test_a_description_must_be_an_object(walk) -> None:
    path = walk.folder / "rows.run"
    mark = path.read_bytes()[:16]
    for described in (b"[]", b"{", b"[" * 50_000, b"\xff"):
        path.write_bytes(mark + raw_frame(described, b"", 0) + raw_frame(b"{}", b"", 0))
        with pytest.raises(FileFormatError, match="damaged"):
            Record.open(walk.folder)


def test_things_that_are_no_files_are_refused(walk, tmp_path) -> None:
    for name in ("rows.run", "run.json", "arrays-20.run"):
        kept = (walk.folder / name).read_bytes()
        (walk.folder / name).unlink()
        os.mkfifo(walk.folder / name)
        with pytest.raises(FileFormatError):
            Record.open(walk.folder)
        (walk.folder / name).unlink()
        (walk.folder / name).write_bytes(kept)
    for place in (tmp_path / "none", tmp_path, walk.folder / "run.json", ""):
        with pytest.raises(FileFormatError):
            po.open_run(place)


def test_a_request_to_end_is_heard_between_two_steps(tmp_path) -> None:
    """What a terminal does on closing; the record is closed in order."""
    script = (
        "import sys; from polyorama.cli import main; sys.exit(main(["
        f"'lab', 'run', {f'{SAMPLES}:Walk'!r}, '--horizon', '10000000', "
        f"'--steps', '10000000', '-o', {str(tmp_path / 'run')!r}]))"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    rows = tmp_path / "run" / "rows.run"
    end = time.monotonic() + 60.0
    while time.monotonic() < end and not (rows.exists() and rows.stat().st_size > 100):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    told = child.communicate(timeout=60.0)[1]
    assert child.returncode == 130
    assert "run it again with --resume" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "run" / "recording.lock").exists()
    assert Record.open(tmp_path / "run").length >= 1
