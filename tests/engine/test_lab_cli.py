"""``polyorama lab``: what it says, what it writes, and how it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import polyorama as po
from polyorama.cli import main
from polyorama.cli.stopping import stoppable
from polyorama.core.jobs import Progress, run
from polyorama.core.params import choice, flag, number, vector, whole
from polyorama.errors import UsageError
from polyorama.lab import catalog
from polyorama.lab.experiment import Canvas
from polyorama.verbs.claims import claims, write_claims
from polyorama.verbs.lab import painting_of
from tests.engine.lab_samples import Walk

SAMPLES = Path(__file__).with_name("lab_samples.py")
WALK = f"{SAMPLES}:Walk"


@pytest.fixture(autouse=True)
def _there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalog, "_from_files", {})


def said(capsys, *words: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of ``polyorama lab`` with these words."""
    try:
        status = main(["lab", *words])
    except SystemExit as end:
        status = int(str(end.code or 0))
    out, err = capsys.readouterr()
    return status, out, err


def test_a_run_is_recorded_replayed_and_goes_on(capsys) -> None:
    status, out, err = said(
        capsys, "run", WALK, "--seed", "3", "--steps", "50", "--drift", "0.7", "-o", "run"
    )
    assert (status, err) == (0, "Recorded 18 snapshots: run\n")
    walk = po.open_run("run")
    assert f"place/drifting  {walk.columns['place/drifting'][-1]:.6g}" in out
    assert walk.params["drift"] == 0.7
    status, out, _ = said(capsys, "replay", "run", "--at", "20", "--check")
    assert status == 0
    assert "18 snapshots over 50 steps" in out
    assert "step            18" in out
    assert "every snapshot is the same, bit for bit" in out
    status, out, err = said(capsys, "run", WALK, "--resume", "-o", "run", "--steps", "80")
    assert (status, err) == (0, "Recorded 29 snapshots: run\n")
    assert po.open_run("run").steps[-1] == 80


def test_what_a_person_changed_is_told_on_replay(capsys) -> None:
    po.run_experiment(
        po.experiment(WALK), steps=9, folder="run",
        changes=[(4, "drift", 0.25), (6, "floor", np.zeros((8, 12))), (8, "held", True)],
    )  # fmt: skip
    _, out, _ = said(capsys, "replay", "run")
    assert "changed at step 4: drift 0.25" in out
    assert "changed at step 6: floor painted" in out
    assert "changed at step 8: held on" in out
    assert "drift 0.1, kind normal, held off" in out


def test_parameters_are_options_with_their_bounds(capsys) -> None:
    status, out, _ = said(capsys, "run", WALK, "--help")
    assert status == 0
    assert "parameters of A walk:" in out
    assert "--drift X" in out
    assert "mean of a step; default 0.1" in " ".join(out.split())
    assert "--held on|off stand still; default off" in " ".join(out.split())
    status, out, _ = said(capsys, "list", WALK)
    assert status == 0
    assert "0.1; -1 to 1; can change while it runs" in out
    assert "off; can change while it runs" in out
    for word in ("fair", "floor", "12x8 cells", "back"):
        assert word in out


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (whole(0), "12", 12),
        (whole(0), "1e3", 1000),
        (number(0.0), "-.5", -0.5),
        (number(0.0), "1_000", 1000.0),
        (flag(False), "On", True),
        (flag(True), "no", False),
        (choice("a", ("a", "b")), " b ", "b"),
        (vector((0.0, 0.0), components="xy"), "[1, 2]", (1.0, 2.0)),
    ],
)
def test_values_are_typed_as_people_type_them(kind, text, value) -> None:
    from polyorama.cli.lab_actions import value_of

    parameter = kind.metadata["polyorama.parameter"]
    assert value_of(parameter, text) == value
    for wrong in ("", "nan", "inf", "[[", "1e999", "9" * 5000):
        with pytest.raises(UsageError):
            value_of(parameter, wrong)


def test_a_picture_is_painted_on_a_canvas(tmp_path, capsys) -> None:
    light = np.zeros((16, 24, 3), np.uint8)
    light[:8] = 255  # the upper half; canvases have their first row at the bottom
    Image.fromarray(light).save(tmp_path / "floor.png")
    floor = painting_of(Walk.canvas("floor"), tmp_path / "floor.png")
    assert np.array_equal(floor, np.repeat([0.0, 1.0], 4)[:, None] * np.ones(12))
    status, _, _ = said(capsys, "run", WALK, "--steps", "9", "--paint", "floor=floor.png",
                        "--set", "kind=coin", "--rivals", "fair", "-o", "run")  # fmt: skip
    assert status == 0
    record = po.open_run("run")
    assert np.array_equal(record.paintings["floor"], floor)
    assert (record.params["kind"], record.rivals) == ("coin", ("fair",))


def test_a_cell_has_the_mean_light_of_what_it_covers(tmp_path) -> None:
    """Of a canvas from 2 to 6: red, green and blue by BT.709, half a white, a white half there."""
    canvas = Canvas("floor", "Floor", (1, 5), low=2.0, high=6.0)
    light = np.zeros((2, 10, 4), np.uint8)
    light[..., 3] = 255
    for column in range(3):
        light[:, 2 * column : 2 * column + 2, column] = 255
    light[0, 6:8, :3] = 255
    light[:, 8:, :] = (255, 255, 255, 51)
    Image.fromarray(light).save(tmp_path / "floor.png")
    shares = [0.2126, 0.7152, 0.0722, 0.5, 51 / 255]
    found = painting_of(canvas, tmp_path / "floor.png")
    assert found[0] == pytest.approx(2.0 + 4.0 * np.array(shares), abs=1e-6)


def test_a_sweep_is_said_written_and_drawn(capsys, tmp_path) -> None:
    status, out, err = said(
        capsys, "sweep", WALK, "--seeds", "3", "--first-seed", "4", "--steps", "20", "--over",
        "drift=-0.5,0.5", "--processes", "1", "-o", "sweep.csv", "--figure", "sweep.svg",
    )  # fmt: skip
    assert status == 0
    assert err == "Wrote sweep.csv\nWrote sweep.svg\n"
    found = po.sweep(WALK, seeds=[4, 5, 6], steps=20, parameter="drift", values=(-0.5, 0.5),
                     processes=1)  # fmt: skip
    assert f"{found.mean[1, 1, -1]:.6g}" in out
    # Who gets the picture reads what was swept, not where its file lies here.
    picture = (tmp_path / "sweep.svg").read_text("utf-8")
    assert "samples/walk, 3 seeds" in picture
    assert str(SAMPLES.parent) not in picture
    assert len((tmp_path / "sweep.csv").read_text("utf-8").splitlines()) == 1 + found.mean.size
    status, _, err = said(capsys, "sweep", f"{SAMPLES}:Failing", "--seeds", "2", "--steps", "40",
                          "--processes", "1")  # fmt: skip
    assert status == 1
    assert "seed 1 failed" in err


def test_a_run_is_exported_at_a_step(capsys, tmp_path) -> None:
    po.run_experiment(po.experiment(WALK), seed=3, steps=30, folder="run")
    status, _, err = said(
        capsys, "export", "run", "-o", "run.csv", "-o", "run.mp4", "-o", "run.png", "--at", "12",
        "--views", "place", "--size", "320x240", "--from", "3", "--to", "9",
    )  # fmt: skip
    assert status == 0
    assert err == "Wrote run.csv\nWrote run.mp4\nWrote run.png\n"
    before = sorted(path.name for path in tmp_path.iterdir())
    status, _, err = said(capsys, "export", "run", "-o", "a.csv", "-o", "b.doc")
    assert (status, err.count("\n")) == (2, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_claims_are_said_beside_what_is_accepted(capsys, tmp_path) -> None:
    status, out, _ = said(capsys, "claims", WALK, "--json", "claims.json")
    assert status == 1  # one of them fails
    for line in (
        "drift: holds",
        "back: shown false",
        "Shown false: They do.",
        "long: not measured",
        "wrong: fails",
        "accepted 0.35 to 0.65",
        "accepted at least 9",
        "1 holds, 1 shown false, 1 not measured, 1 fails",
    ):
        assert line in out
    told = json.loads((tmp_path / "claims.json").read_text("utf-8"))["claims"]
    assert [claim["verdict"] for claim in told] == [
        "holds", "shown false", "not measured", "fails",
    ]  # fmt: skip
    assert told[3]["figures"][0]["high"] is None
    assert [outcome.verdict for outcome in claims(WALK, study=True)][2] == "holds"


def test_a_claim_that_breaks_is_said_beside_the_others(tmp_path, capsys) -> None:
    text = SAMPLES.read_text("utf-8")
    breaks = (
        ("place / 400, 0.35", "place / 0, 0.35", "It failed (ZeroDivisionError"),
        ("return (Figure(\"Drift\", place", "return () and (Figure(\"Drift\", place",
         "It measured nothing"),
        ("    yield from ()\n", "    raise po.PolyoramaError('Too little is here.')\n    yield\n",
         "Too little is here."),
    )  # fmt: skip
    for place, (before, after, words) in enumerate(breaks):
        assert before in text
        path = tmp_path / f"claims_{place}.py"
        path.write_text(text.replace(before, after) + "\nimport polyorama as po\n", "utf-8")
        outcomes = claims(f"{path}:Walk")
        assert outcomes[0].verdict == "could not be measured"
        assert words in outcomes[0].error
        assert not outcomes[0].as_expected
        write_claims(outcomes, tmp_path / "claims.json")
        status, out, _ = said(capsys, "claims", f"{path}:Walk")
        assert status == 1
        assert words in " ".join(out.split())


@pytest.mark.parametrize(
    "words",
    [
        ["run", "no/such"],
        ["run", "nowhere.py:Walk"],
        ["run", WALK, "--drift", "9"],
        ["run", WALK, "--drift", "much"],
        ["run", WALK, "--slope", "1"],
        ["run", WALK, "--set", "drift"],
        ["run", WALK, "--set", "slope=1"],
        ["run", WALK, "--rivals", "nobody"],
        ["run", WALK, "--rivals", ""],
        ["run", WALK, "--seed", "-1", "-o", "new"],
        ["run", WALK, "--seed", "one"],
        ["run", WALK, "--seed", "9" * 30, "-o", "new"],
        ["run", WALK, "--steps", "-5", "-o", "new"],
        ["run", WALK, "--every", "0", "-o", "new"],
        ["run", WALK, "-o", "file"],
        ["run", WALK, "-o", "run"],
        ["run", WALK, "-o", "file/new"],
        ["run", WALK, "-o", ""],
        ["run", WALK, "-o", "a\0b"],
        ["run", WALK, "-o", "n" * 300],
        ["run", WALK, "--paint", "wall=file"],
        ["run", WALK, "--paint", "floor=file"],
        ["run", WALK, "--paint", "floor=nowhere.png"],
        ["run", WALK, "--resume"],
        ["run", WALK, "--resume", "-o", "nowhere"],
        ["run", WALK, "--resume", "-o", "run", "--seed", "4"],
        ["run", WALK, "--resume", "-o", "run", "--drift", "0.4"],
        ["run", WALK, "--resume", "-o", "run", "--steps", "5"],
        ["run", f"{SAMPLES}:Odd", "--resume", "-o", "run"],
        ["sweep", WALK, "--seeds", "0"],
        ["sweep", WALK, "--seeds", "-3", "--first-seed", "2"],
        ["sweep", WALK, "--first-seed", "-3"],
        ["sweep", WALK, "--steps", "0"],
        ["sweep", WALK, "--level", "2"],
        ["sweep", WALK, "--processes", "0"],
        ["sweep", WALK, "--over", "drift=0.1,9"],
        ["sweep", WALK, "--over", "drift"],
        ["sweep", WALK, "-o", "sweep.xls"],
        ["sweep", WALK, "-o", "nowhere/sweep.csv"],
        ["sweep", WALK, "--figure", "sweep.csv"],
        ["sweep", WALK, "--figure", "run"],
        ["sweep", WALK, "--columns", "height", "--figure", "sweep.png", "--seeds", "1"],
        ["replay", "nowhere"],
        ["replay", "file"],
        ["replay", "."],
        ["replay", "run", "--at", "late"],
        ["export", "run", "-o", "run.doc"],
        ["export", "run", "-o", "run.png", "--views", "nothing"],
        ["export", "run", "-o", "run.png", "--size", "1x1"],
        ["export", "run", "-o", "run.mp4", "--fps", "0"],
        ["export", "run", "-o", "run.mp4", "--fps", "nan"],
        ["export", "run", "-o", "run.mp4", "--from", "9", "--to", "3"],
        ["export", "run", "-o", "nowhere/run.csv"],
        ["claims", "no/such"],
        ["claims", WALK, "--json", "claims.txt"],
        ["claims", WALK, "--json", "nowhere/claims.json"],
        ["list", "no/such"],
        ["dance"],
        [],
    ],
    ids=lambda words: " ".join(words).replace(str(SAMPLES), "samples.py")[:60],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_and_leaves_nothing(words, capsys, tmp_path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    po.run_experiment(po.experiment(WALK), seed=3, steps=10, folder="run")
    capsys.readouterr()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    status, _, err = said(capsys, *words)
    assert status == 2
    assert err.startswith("polyorama: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_who_waits_for_a_long_step_is_told_how_not_to(monkeypatch, capsys) -> None:
    monkeypatch.setattr("polyorama.cli.stopping._PATIENCE_S", 0.01)

    def job():
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.3)
        yield Progress(1, 1)

    with pytest.raises(KeyboardInterrupt):
        run(stoppable(job()))
    assert capsys.readouterr().err.count("Ctrl-C once more stops at once") == 1


def test_who_does_not_wait_for_the_first_step_is_promised_nothing(tmp_path, capsys) -> None:
    path = tmp_path / "mine.py"
    pressed = "raise KeyboardInterrupt  # as Ctrl-C once more does\n        self._luck"
    text = SAMPLES.read_text("utf-8").replace("self._luck", pressed, 1)
    path.write_text(text, "utf-8")
    status, _, err = said(capsys, "run", f"{path}:Walk", "-o", "run")
    assert (status, err) == (130, "polyorama: stopped.\n")
    assert not (tmp_path / "run").exists()


def test_a_reader_that_goes_away_is_no_trouble() -> None:
    """As ``polyorama lab list | head -1``."""
    code = f"import sys; from polyorama.cli import main; sys.exit(main(['lab', 'list', {WALK!r}]))"
    here, there = os.pipe()
    os.close(here)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=there, stderr=subprocess.PIPE, check=False
    )
    os.close(there)
    assert (done.returncode, done.stderr) == (0, b"")
