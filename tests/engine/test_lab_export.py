"""Exports of recorded runs: tables that read back, figures, films, and a script that reruns."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import av
import numpy as np
import pytest
from pyarrow import parquet

import polyorama as po
from polyorama.core.jobs import run
from polyorama.errors import OutputError, UsageError
from polyorama.io.photos import read_pixels
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.exporting import export
from polyorama.lab.figure_axes import columns_of, slope_rules
from polyorama.lab.look import look_of
from polyorama.lab.making import made
from tests.engine.lab_samples import Faulty, FaultyParams, Odd, Walk, WalkParams

SAMPLES = Path(__file__).with_name("lab_samples.py")
SMALL = (320, 240)


@pytest.fixture(scope="module")
def walk():
    """A run with changes and a painting, made from the file as a plug-in is."""
    subject = made(f"{SAMPLES}:Walk", {"drift": 0.3}, None, {"floor": np.eye(8, 12)})
    changes = [(10, "drift", 0.7), (20, "floor", np.full((8, 12), 0.25)), (20, "kind", "coin")]
    return po.run_experiment(subject, seed=3, steps=45, every=4, changes=changes)


@pytest.fixture(scope="module")
def odd():
    return po.run_experiment(Odd(), seed=1, steps=9, every=1)


def table(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def test_csv_reads_back_to_the_last_bit(walk, tmp_path) -> None:
    walk.export(tmp_path / "run.csv")
    head, rows = table(tmp_path / "run.csv")
    assert head == list(walk.columns) == ["step", "place/fair", "place/drifting", "late"]
    for name, cells in zip(head, zip(*rows, strict=True), strict=True):
        read = np.array([float(cell or "nan") for cell in cells])
        assert read.tobytes() == walk.columns[name].tobytes()
    assert rows[0][3] == ""  # not there, which is another thing than NaN
    assert rows[0][0] == "0"


def test_csv_knows_missing_from_nan(odd, tmp_path) -> None:
    odd.export(tmp_path / "run.csv")
    head, rows = table(tmp_path / "run.csv")
    fair = [row[head.index("place/fair")] for row in rows]
    assert fair[:3] == ["nan", "inf", "1.0"]


def test_parquet_has_the_same_numbers_and_nulls(walk, odd, tmp_path) -> None:
    for recording in (walk, odd):
        recording.export(tmp_path / "run.parquet")
        read = parquet.read_table(tmp_path / "run.parquet")
        assert read.column_names == list(recording.columns)
        assert str(read.schema.field("step").type) == "int64"
        assert read.schema.metadata[b"seed"] == str(recording.seed).encode()
        for name, column in recording.columns.items():
            present = recording.rows.scalars.present(name)
            cells = read.column(name).to_pylist()
            assert [cell is not None for cell in cells] == present.tolist()
            got = np.array([cell for cell in cells if cell is not None], np.float64)
            assert np.array_equal(got, column[present], equal_nan=True)


def test_a_figure_is_of_its_size_and_the_same_again(walk, tmp_path) -> None:
    for name in ("one.png", "two.png"):
        run(export(walk, tmp_path / name, index=3, size=SMALL))
    assert read_pixels(tmp_path / "one.png").shape[:2] == (240, 320)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    run(export(walk, tmp_path / "last.png", size=SMALL))
    assert (tmp_path / "last.png").read_bytes() != (tmp_path / "one.png").read_bytes()


def test_an_svg_is_whole_and_the_same_again(walk, tmp_path) -> None:
    for name in ("one.svg", "two.svg"):
        run(export(walk, tmp_path / name, views=("place",), size=SMALL, theme="light"))
    assert ElementTree.parse(tmp_path / "one.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_film_has_a_frame_a_snapshot(walk, tmp_path) -> None:
    run(export(walk, tmp_path / "run.mp4", views=("place",), size=SMALL, fps=12, first=2, stop=6))
    with av.open(str(tmp_path / "run.mp4")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        assert film.streams.video[0].average_rate == 12
    assert [frame.shape for frame in frames] == [(240, 320, 3)] * 4
    assert not np.array_equal(frames[0], frames[-1])
    with pytest.raises(UsageError, match="no snapshot to film"):
        run(export(walk, tmp_path / "none.mp4", first=99))
    assert not (tmp_path / "none.mp4").exists()


def test_the_script_really_reruns_it(walk, tmp_path) -> None:
    walk.export(tmp_path / "again.py")
    done = subprocess.run(
        [sys.executable, "-W", "error", tmp_path / "again.py"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert {name: float(value) for name, value in told.items()} == {
        name: column[-1] for name, column in walk.columns.items()
    }


def test_titles_cannot_break_out_of_the_script(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(Walk, "title", 'a"""\nraise SystemExit(9)\n"""\\')
    recording = po.run_experiment(Walk(WalkParams(horizon=5)), steps=5)
    recording.export(tmp_path / "again.py")
    compiled = compile((tmp_path / "again.py").read_text("utf-8"), "again.py", "exec")
    assert "SystemExit" not in compiled.co_names


@pytest.mark.parametrize("name", ["run.xlsx", "run", "run.csv.gz", "run.jpg"])
def test_unknown_endings_are_refused(name, walk, tmp_path) -> None:
    with pytest.raises(OutputError, match=r"\.csv, \.parquet, \.png, \.svg, \.mp4, \.py"):
        walk.export(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["csv", "parquet", "png", "svg", "mp4", "py"])
def test_what_cannot_be_written_leaves_what_was_there(ending, walk, tmp_path) -> None:
    (tmp_path / f"folder.{ending}").mkdir()
    for target in (tmp_path / f"folder.{ending}", tmp_path / "none" / f"run.{ending}"):
        with pytest.raises(OutputError):
            walk.export(target)
    assert [path.name for path in tmp_path.iterdir()] == [f"folder.{ending}"]


def test_a_file_that_is_there_is_replaced_only_by_a_whole_one(walk, tmp_path) -> None:
    target = tmp_path / "run.png"
    target.write_bytes(b"mine")
    with pytest.raises(UsageError, match="no view 'nothing'; there are place, visits, spot"):
        run(export(walk, target, views=("nothing",)))
    for index in (99, -walk.length - 1):
        with pytest.raises(UsageError, match=f"no snapshot {index};"):
            run(export(walk, target, index=index))
    assert target.read_bytes() == b"mine"
    run(export(walk, target, size=SMALL))
    assert read_pixels(target).shape[:2] == (240, 320)


def test_numbers_that_are_not_finite_are_drawn_around(odd, tmp_path) -> None:
    for index in (0, 1):
        run(export(odd, tmp_path / f"{index}.png", index=index, size=SMALL))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("views", "failed at step 0 (KeyError: 'no picture')"),
        ("twins", "each with an id of its own"),
        ("axis", "The view 'row' of samples/faulty cannot be drawn"),
    ],
)
def test_views_that_are_rubbish_are_one_sentence(fault, words, tmp_path) -> None:
    recording = po.run_experiment(Faulty(FaultyParams(fault)), steps=5, every=1)
    recording.export(tmp_path / "run.csv")
    with pytest.raises(ExperimentError) as told:
        recording.export(tmp_path / "run.png")
    assert words in str(told.value)
    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]


@pytest.mark.parametrize(
    ("count", "shape", "room", "columns"),
    [(1, 1.0, 1.0, 1), (8, 1.0, 8.0, 8), (8, 1.0, 2.0, 4), (8, 1.0, 0.1, 1), (3, 1.0, 1.0, 2)],
)
def test_pictures_become_as_large_as_they_can(count, shape, room, columns) -> None:
    assert columns_of(count, shape, room) == columns


def test_slopes_are_drawn_through_the_rightmost_of_dots_in_any_order() -> None:
    """And named at the other end, where they lie apart."""
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    x, y = np.array([10.0, 1000.0, 1.0]), np.array([5.0, 2.0, 7.0])
    slope_rules(axes, (-1.0, -0.5), x, y, look_of("dark"))
    ends = [line.get_xydata() for line in axes.lines]
    np.testing.assert_allclose(ends[0], [(1.0, 2000.0), (1000.0, 2.0)])
    np.testing.assert_allclose(ends[1], [(1.0, 2.0 * 1000.0**0.5), (1000.0, 2.0)])
    assert [text.xy for text in axes.texts] == [tuple(line[0]) for line in ends]
    slope_rules(axes, (-1.0,), x[:1], y[:1], look_of("dark"))  # a dot has no direction
    assert len(axes.lines) == 2
