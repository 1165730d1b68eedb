"""Set-up and launch: what can be tested without a network or another system."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "packaging"
POSIX = pytest.mark.skipif(os.name == "nt", reason="uses shell scripts in place of programs")
LINUX = pytest.mark.skipif(platform.system() != "Linux", reason="is about Linux")


@pytest.fixture(scope="module")
def modules() -> dict[str, ModuleType]:
    import importlib

    sys.path.insert(0, str(FOLDER))
    try:
        return {n: importlib.import_module(n) for n in ("environment", "system_packages", "start")}
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        "[build-system]\nrequires = ['setuptools']\n[project]\nname = 'a'\n[tool.setuptools]\n"
    )
    return tmp_path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, modules: dict[str, ModuleType]) -> Path:
    """One environment as Python makes it; making one takes seconds, copying it does not."""
    made = modules["environment"].Environment(tmp_path_factory.mktemp("template"))
    made._create()
    return made.folder


@pytest.fixture
def environment(
    checkout: Path,
    template: Path,
    modules: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> object:
    """An environment whose pip only writes down what it is asked for."""
    made = modules["environment"].Environment(checkout)
    made.asked = []
    monkeypatch.setattr(made, "_pip", made.asked.append)
    monkeypatch.setattr(
        made, "_create", lambda: shutil.copytree(template, made.folder, symlinks=True)
    )
    return made


def test_old_pythons_can_read_the_gate() -> None:
    import ast

    source = (FOLDER / "start.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))


def test_an_environment_is_made_once(environment, checkout: Path) -> None:
    environment.ensure({"gui"})
    assert environment.python.exists()
    assert environment.asked == [
        ["setuptools"],
        *([["torch==2.13.0"]] if sys.platform == "linux" else []),
        ["--no-build-isolation", "--editable", f"{checkout}[gui]"],
    ]
    environment.asked.clear()
    environment.ensure({"gui"})
    environment.ensure(set())
    assert environment.asked == []


def test_more_extras_are_added_to_those_there(environment, checkout: Path) -> None:
    environment.ensure({"gui"})
    environment.asked.clear()
    environment.ensure({"dev"})
    assert environment.asked[-1][-1] == f"{checkout}[dev,gui]"


def test_a_changed_project_is_installed_again(environment, checkout: Path) -> None:
    environment.ensure(set())
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text() + "[tool.ruff]\nline-length = 90\n")
    environment.asked.clear()
    environment.ensure(set())
    assert environment.asked == [], "a linter's setting installs nothing"
    project.write_text(project.read_text().replace("'a'", "'a'\ndependencies = ['numpy']"))
    environment.ensure(set())
    assert environment.asked != []


def test_an_interrupted_installation_goes_on(environment, monkeypatch) -> None:
    def interrupted(arguments: list[str]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(environment, "_pip", interrupted)
        with pytest.raises(KeyboardInterrupt):
            environment.ensure(set())
    inode = environment.folder.stat().st_ino
    environment.ensure(set())
    assert environment.asked
    assert environment.folder.stat().st_ino == inode, "what was there is used"


@pytest.mark.parametrize("lost", ["pyvenv.cfg", "python", "library"])
def test_a_damaged_environment_is_made_anew(environment, lost: str, capsys) -> None:
    environment.ensure(set())
    if lost == "library":
        for path in environment.folder.rglob("pip/_internal"):
            shutil.rmtree(path)
    elif lost == "python":
        for path in environment.bin.glob("python*"):
            path.unlink()
    else:
        (environment.folder / lost).unlink()
    environment.asked.clear()
    capsys.readouterr()
    environment.ensure(set())
    assert "damaged" in capsys.readouterr().out
    assert environment.asked
    assert environment.run(["-c", "import pip"]) == 0


def test_half_installed_packages_are_noticed(tmp_path: Path, modules) -> None:
    damaged = modules["environment"].damaged_packages
    record = tmp_path / "thing-1.0.dist-info"
    record.mkdir()
    assert damaged(tmp_path, thorough=False) == ["thing-1.0.dist-info"]
    (record / "RECORD").write_text('thing/__init__.py,sha256=x,1\nthing/more.py,,\n"a,b.py",,\n')
    (tmp_path / "thing").mkdir()
    assert damaged(tmp_path, thorough=False) == ["thing-1.0.dist-info"]
    (tmp_path / "thing" / "__init__.py").touch()
    assert damaged(tmp_path, thorough=False) == []
    assert damaged(tmp_path, thorough=True) == ["thing-1.0.dist-info"]
    (tmp_path / "thing" / "more.py").touch()
    (tmp_path / "a,b.py").touch()
    assert damaged(tmp_path, thorough=True) == []


def test_a_failing_pip_says_why_and_where_its_log_is(
    checkout: Path, template: Path, modules
) -> None:
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text().replace("['setuptools']", "[]"))
    made = modules["environment"].Environment(checkout)
    shutil.copytree(template, made.folder, symlinks=True)
    with pytest.raises(modules["environment"].SetupError) as caught:
        made.ensure(set())
    # The project has no version, so the build itself fails: no network is asked.
    assert "pip could not install" in str(caught.value)
    assert str(made.folder / "polyorama-setup.log") in str(caught.value)
    assert "polyorama-setup.log" in os.listdir(made.folder)


def test_exit_statuses_pass_through(environment) -> None:
    environment.ensure(set())
    assert environment.run(["-c", "raise SystemExit(7)"]) == 7
    assert environment.output("print('here')") == "here"


def test_cuda_that_fails_is_said_and_not_tried_again(environment, modules, capsys, monkeypatch):
    environment.ensure(set())

    def fails(arguments: list[str]) -> None:
        raise modules["environment"].SetupError("there is no wheel")

    monkeypatch.setattr(environment, "_pip", fails)
    environment.ensure_cuda("580.1", retry=False)
    said = capsys.readouterr()
    assert "Found an NVIDIA driver (580.1)" in said.out
    assert "NVIDIA GPUs cannot be used" in said.out
    assert "there is no wheel" in said.err
    environment.ensure_cuda("580.1", retry=False)
    assert "--cuda tries again" in capsys.readouterr().out
    environment.ensure(set())  # all else is still in place
    monkeypatch.setattr(environment, "_pip", lambda arguments: None)
    environment.ensure_cuda("580.1", retry=True)
    environment.ensure_cuda("580.1", retry=True)
    assert capsys.readouterr().out.count("installing") == 1


@LINUX
def test_missing_libraries_are_those_the_loader_lacks(modules) -> None:
    libraries = {"libc.so.6": "libc6", "libnothing-of-that-name.so.3": "libnothing3"}
    assert modules["system_packages"].missing_libraries(libraries) == [
        "libnothing-of-that-name.so.3"
    ]


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@LINUX
def test_without_rights_the_one_command_is_said(modules, tmp_path: Path, monkeypatch) -> None:
    program(tmp_path, "apt-get", "exit 1")
    program(tmp_path, "sudo", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(modules["environment"].SetupError, match=r"sudo apt-get install .*libno3"):
        modules["system_packages"].require_libraries({"libno-such.so.3": "libno3"})


@LINUX
def test_apt_is_asked_again_with_fresh_lists(modules, tmp_path: Path, monkeypatch) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    log = tmp_path / "asked"
    program(tools, "apt-get", f'echo "$1" >> {log}; [ "$(wc -l < {log})" -ge 3 ] || exit 100')
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    modules["system_packages"].require(["libno3"], "Missing")
    assert log.read_text().split() == ["install", "update", "install"]


@LINUX
def test_rpm_systems_get_their_own_command(modules, tmp_path: Path, monkeypatch) -> None:
    program(tmp_path, "dnf", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(modules["environment"].SetupError, match=r"dnf install 'libno\.so\.3\(\)"):
        modules["system_packages"].require_libraries({"libno.so.3": "libno3"})


@POSIX
def test_the_nvidia_driver_is_asked_for_its_version(modules, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    program(tmp_path, "nvidia-smi", "echo 580.95.05; echo 580.95.05")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert modules["system_packages"].nvidia_driver() == "580.95.05"
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert modules["system_packages"].nvidia_driver() is None


@pytest.mark.parametrize(
    ("argv", "rest", "cuda"),
    [
        ([], [], None),
        (["a.ply", "--fps"], ["a.ply", "--fps"], None),
        (["--", "--odd.ply"], ["--odd.ply"], None),
        (["--no-cuda", "test", "-k", "x"], ["test", "-k", "x"], False),
    ],
)
def test_arguments(modules, argv: list[str], rest: list[str], cuda: bool | None) -> None:
    options, handed_on = modules["start"].parse(argv)
    assert handed_on == rest
    assert options.cuda is cuda


@LINUX
def test_no_screen_no_window(modules, monkeypatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not modules["start"].has_screen()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert modules["start"].has_screen()


@LINUX
@pytest.mark.parametrize(
    ("screen", "extras"), [(True, {"face", "gui", "lab", "shapes"}), (False, {"face", "shapes"})]
)
def test_the_studio_comes_with_what_its_lab_draws_with(
    screen: bool, extras: set[str], modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked(Exception):
        pass

    def prepare(_options: object, wanted: set[str]) -> None:
        assert wanted == extras
        raise Asked

    monkeypatch.setattr(modules["start"], "has_screen", lambda: screen)
    monkeypatch.setattr(modules["start"], "prepare", prepare)
    with pytest.raises(Asked):
        modules["start"].start(None, [])


def test_xvfb_lives_as_long_as_the_block(modules) -> None:
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("there is no Xvfb here")
    with modules["system_packages"].xvfb(server) as display:
        socket = Path("/tmp/.X11-unix") / f"X{display[1:]}"
        assert socket.exists()
    assert not socket.exists()


def test_help_is_instant_and_sets_nothing_up(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "start.py"), "--help"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert "test" in done.stdout
    assert os.listdir(tmp_path) == []


def test_the_sample_has_a_flight_that_ends_where_it_began() -> None:
    from importlib.resources import files

    import numpy as np

    from polyorama.io.cameras import read_cameras

    cameras = read_cameras(str(files("polyorama_assets").joinpath("sample-flight.json")))
    assert len(cameras) > 8
    np.testing.assert_allclose(cameras[0].viewmat, cameras[-1].viewmat, atol=1e-6)
    assert {(camera.width, camera.height) for camera in cameras} == {(1280, 720)}


def test_the_whole_suite_shares_the_cores_and_parts_of_it_run_as_asked(
    modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = modules["start"].pytest_runs
    assert runs(["-k", "spz"]) == [("Tests", ["-k", "spz"])]
    monkeypatch.setattr(modules["start"].os, "cpu_count", lambda: 2)
    (_, engine), (_, rest) = runs([])
    assert engine == ["-n", "2", "--dist", "loadfile", "tests/engine"]
    assert rest == ["--ignore=tests/engine"]
    monkeypatch.setattr(modules["start"].os, "cpu_count", lambda: 1)
    assert runs([])[0][1] == ["tests/engine"]
