"""The doctor tells the truth, and survives what is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import polyorama
from polyorama.cli import main
from polyorama.core.jobs import Progress
from polyorama.render import rasterizers
from polyorama.render.rasterizers import Availability
from polyorama.verbs import doctor, warm
from polyorama.verbs.doctor import Report, _Probe


def named(report: Report, name: str) -> doctor.Check:
    return next(check for check in report.checks if check.name == name)


@pytest.fixture(scope="module")
def report() -> Report:
    return doctor.doctor()


def test_a_working_installation_is_said_to_work(report: Report) -> None:
    assert report.works
    picture = named(report, "Test picture")
    assert picture.status == "good"
    assert picture.details["backend"] == "cpu"
    assert named(report, "Backend cpu").status == "good"
    assert named(report, "Film encoders").details["H.264"]


def test_versions_are_those_loaded(report: Report) -> None:
    import numpy as np

    assert named(report, "numpy").details["version"] == np.__version__
    assert named(report, "Polyorama").details["version"] == polyorama.__version__


def test_backends_are_those_registered(report: Report) -> None:
    shown = {check.details["backend"] for check in report.checks if check.name[:8] == "Backend "}
    assert shown == set(rasterizers.available_backends())


def test_what_is_not_good_says_what_to_do(report: Report) -> None:
    names = [check.name for check in report.checks]
    assert len(set(names)) == len(names)
    for check in report.checks:
        assert check.status in ("good", "warn", "bad")
        assert check.finding
        if check.status != "good":
            assert check.advice, check.name


def test_json_and_exit_status(
    report: Report, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ready() -> object:
        yield Progress(0, 1)
        return report

    monkeypatch.setattr(doctor, "examine", ready)
    assert main(["doctor", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["works"] is True
    assert [check["name"] for check in data["checks"]] == [c.name for c in report.checks]
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert all(check.finding in text for check in report.checks)


def test_a_machine_that_cannot_draw_gets_status_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("taken_away")
    module.availability = lambda: Availability(False, "The test took it away")
    monkeypatch.setitem(sys.modules, "taken_away", module)
    monkeypatch.setattr(rasterizers, "_BACKENDS", {"cpu": "taken_away"})
    for probe in ("_OPEN3D", "_QT"):
        monkeypatch.setattr(doctor, probe, 'print(\'{"version": "1", "platform": "x"}\')')
    assert main(["doctor"]) == 2
    text = capsys.readouterr().out
    assert "The test took it away" in text
    assert "cannot be rendered" in text


def test_a_probe_that_dies_is_told_with_its_last_words() -> None:
    probe = _Probe(
        "import os, sys\n"
        'print(\'{"version": "1"}\', flush=True)\n'
        "print('no such library', file=sys.stderr, flush=True)\n"
        "os.abort()"
    )
    result = probe.result()
    probe.close()
    assert result == {"version": "1", "error": "no such library"}


def test_a_probe_tells_what_could_not_be_done_first() -> None:
    probe = _Probe("print('qt.qpa.xcb: could not connect to display :9\\nThere are: xcb'); exit(1)")
    assert probe.result() == {"error": "qt.qpa.xcb: could not connect to display :9"}
    probe.close()


def test_a_probe_is_ended_when_the_job_is_closed() -> None:
    job = doctor.examine()
    next(job)
    probes = job.gi_frame.f_locals["probes"]  # type: ignore[attr-defined]
    job.close()
    assert all(probe._process.poll() is not None for probe in probes.values())


@pytest.mark.parametrize("broken", ["import nothing_of_that_name", "import os; os.abort()"])
def test_broken_qt_is_bad_but_drawing_works(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_QT", broken)
    monkeypatch.setattr(doctor, "_OPEN3D", broken)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1")
    report = doctor.doctor()
    assert report.works
    assert named(report, "Window").status == "bad"
    assert named(report, "Open3D").status == "warn"


def test_a_driver_that_dies_is_told_and_drawing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_GL", "import os\nprint('bad page', flush=True)\nos.abort()")
    for probe in ("_OPEN3D", "_QT"):
        monkeypatch.setattr(doctor, probe, 'print(\'{"version": "1", "platform": "x"}\')')
    report = doctor.doctor()
    assert report.works
    check = named(report, "Backend gl")
    assert check.status == "warn"
    assert "bad page" in check.finding
    assert "draw with cpu" in check.advice


def test_the_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "libxcb-cursor.so.0: cannot open shared object file"
    code = f"print('''{json.dumps({'version': '6', 'plugins': {'xcb': message}})}'''); exit(1)"
    monkeypatch.setattr(doctor, "_QT", code)
    monkeypatch.setattr(doctor, "_OPEN3D", 'print(\'{"version": "1"}\')')
    monkeypatch.setattr("importlib.metadata.version", lambda name: "6")
    window = named(doctor.doctor(), "Window")
    assert window.status == "bad"
    assert message in window.finding


def test_warming_leaves_a_stamp_and_a_change_undoes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in warm.warm():
        pass
    assert warm.is_warm()
    assert list(warm.prepare()) == []
    monkeypatch.setattr(warm, "_fingerprint", lambda: "another processor")
    assert not warm.is_warm()


FIT_AFTER_WARMING = """
import sys
from polyorama.core.jobs import run
from polyorama.render.cpu import backward
from polyorama.verbs import warm
from tests.engine.capture_samples import dataset_of, sphere_cameras

def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith("polyorama.")]
    values = {id(value): value for module in modules for value in vars(module).values()}
    return sum(len(getattr(value, "nopython_signatures", ())) for value in values.values())

run(warm.warm())
before = compiled()
from polyorama.vision.fit.optimise import evaluate, fit
from polyorama.vision.fit.settings import FitSettings
cloud = warm.tiny_scene(3)[0].nodes[0].content
dataset = dataset_of(cloud, sphere_cameras(6, 40), hold_out=3)
for strategy in ("default", "mcmc"):
    settings = FitSettings(steps=60, strategy=strategy, antialiased=True)
    evaluate(run(fit(dataset, settings=settings)), dataset.held_out)
print(before, compiled(), len(backward.draw_backward.nopython_signatures))
"""


def test_after_warming_a_fit_compiles_nothing() -> None:
    """In a process of its own, since here other tests may have compiled."""
    done = subprocess.run(
        [sys.executable, "-c", FIT_AFTER_WARMING], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    before, after, backward = map(int, done.stdout.split())
    assert before == after
    assert backward == 1


def test_kernels_are_kept_where_the_variable_says(tmp_path: Path) -> None:
    code = (
        "from polyorama.render.rasterizers import get_rasterizer\n"
        "from polyorama.verbs.warm import cache_folders\n"
        "get_rasterizer('cpu')\n"
        "print(*cache_folders(), sep='\\n')"
    )
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=variables
    )
    folders = done.stdout.splitlines()
    assert folders
    assert all(path.startswith(str(tmp_path)) for path in folders)


def test_without_any_writable_folder_kernels_compile_all_the_same() -> None:
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from polyorama.core.compile import kernel\n"
        "from polyorama.verbs import warm\n"
        "twice = kernel(lambda x: x + x)\n"
        "print(twice(2), warm.is_warm(), warm.cache_folders())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "False", "[]"]
