"""How the command line ends: one sentence, the right status, nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyorama import cli
from polyorama.cli import main
from polyorama.errors import UsageError
from polyorama.io.formats import write_splats
from polyorama.verbs.bench import synthetic_cloud


@pytest.fixture
def failing(monkeypatch):
    """Make `doctor` fail with a given exception."""

    def fail_with(error):
        import polyorama.cli.doctor as doctor

        def run(options):
            raise error

        monkeypatch.setattr(doctor, "run", run)

    return fail_with


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (UsageError("Wrong."), 2, "polyorama: Wrong.\n"),
        (MemoryError(), 2, "not enough memory"),
        (OSError(28, "No space left on device", "a.png"), 2, "No space left on device): a.png"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_failures_are_one_sentence(failing, capsys, error, status, words):
    failing(error)
    assert main(["doctor"]) == status
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_closed_streams_are_no_trouble(monkeypatch):
    monkeypatch.setattr(cli.sys, "stdout", None)
    monkeypatch.setattr(cli.sys, "stderr", None)
    monkeypatch.setattr(cli, "_run", lambda arguments: 0)
    assert main(["doctor"]) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stdout_is_told(tmp_path):
    write_splats(synthetic_cloud(20, sh_degree=0), tmp_path / "a.splat")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "polyorama", "info", "a.splat"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_a_request_to_end_tidies_up(tmp_path):
    write_splats(synthetic_cloud(500, sh_degree=0), tmp_path / "a.splat")
    process = subprocess.Popen(
        [sys.executable, "-m", "polyorama", "render", "a.splat", "-o", "f/####.png",
         "--turntable", "300", "--size", "64x48"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while not list((tmp_path / "f").glob("*.png")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143
    assert "run the same command with --resume" in told
    assert "Traceback" not in told
    assert not [entry for entry in (tmp_path / "f").iterdir() if entry.name.startswith(".")]


def test_names_are_told_on_one_line(failing, capsys):
    failing(UsageError("Wrong: a\nb\x1b[2J"))
    assert main(["doctor"]) == 2
    assert capsys.readouterr().err == "polyorama: Wrong: a\\nb\\x1b[2J\n"


def test_a_request_to_end_is_told_from_ctrl_c(monkeypatch, capsys):
    before = signal.getsignal(signal.SIGTERM)

    def run(arguments):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(cli, "_run", run)
    assert main(["doctor"]) == 143
    assert capsys.readouterr().err == "polyorama: stopped.\n"
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("command", ["render", "demo", "bench", "warm"])
def test_without_the_compiler_nothing_is_drawn(monkeypatch, capsys, command):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    words = {"render": ["a.ply"], "bench": ["files"]}.get(command, [])
    assert main([command, *words]) == 2
    assert "unset NUMBA_DISABLE_JIT" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "-1"], "seed"), (["-o", "no/x.poly"], "does not exist"),
        (["-o", "x.txt"], ".poly"), (["-o", "folder.poly"], "folder"),
    ],
)  # fmt: skip
def test_the_demo_is_not_built_in_vain(monkeypatch, capsys, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "DRAWING", frozenset())

    def build(seed):
        raise AssertionError("built in vain")

    monkeypatch.setattr("polyorama.verbs.demo.build_theatre", build)
    (tmp_path / "folder.poly").mkdir()
    assert main(["demo", *words]) == 2
    assert said in capsys.readouterr().err
