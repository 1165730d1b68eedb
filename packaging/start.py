"""Set Polyorama up and start it, with nothing but Python 3.11 or newer.

``python3 packaging/start.py``
    makes ``.venv``, installs what is missing and opens the studio on the sample project; where
    there is no screen it renders the sample project to ``polyorama-demo.mp4`` and ``.png``.
``python3 packaging/start.py FILE...``
    does the same with your own files.
``python3 packaging/start.py test [PYTEST ARGUMENTS]``
    installs what the tests need and runs the whole suite.

A second run finds everything in place and starts in seconds. Standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Everything below this gate may use Python 3.11; the gate itself must be understood by older ones.
if sys.version_info < (3, 11):  # noqa: UP036 - they shall be told, not crash
    import shutil

    OLD = "{}.{}".format(*sys.version_info[:2])
    for newer in ("python3.14", "python3.13", "python3.12", "python3.11"):
        if shutil.which(newer):
            print(f"Python {OLD} is too old; going on with {newer}.")
            sys.exit(subprocess.call([newer, *sys.argv]))
    sys.exit(
        f"Polyorama needs Python 3.11 or newer, and this is Python {OLD}. Install a newer one "
        "(python.org has it for every system), then run the same command with it, such as: "
        "python3.12 packaging/start.py"
    )

import argparse
import contextlib
import importlib.util
import platform
import time
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent))
import system_packages
from environment import Environment, SetupError, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
DEMO = "polyorama-demo"
CHECKS = (
    ("Lint", ["-m", "ruff", "check"]),
    ("Formatting", ["-m", "ruff", "format", "--check"]),
    (
        "Layers",
        ["-c", "from importlinter.cli import lint_imports_command as run; run(['--no-logo'])"],
    ),
)
"""What is checked before types and tests: a title, and arguments for the Python in ``.venv``."""


def main(argv: Sequence[str]) -> int:
    """Set up and start; returns the exit status."""
    options, rest = parse(argv)
    try:
        if rest[:1] == ["test"]:
            return test(options, rest[1:])
        return start(options, rest)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        return 130


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our own options, and what is handed on: files, or `test` and pytest's arguments."""
    parser = argparse.ArgumentParser(
        prog="start.py",
        usage="start.py [--remake] [--cuda | --no-cuda] [FILE ... | test [PYTEST ARGUMENTS]]",
        description="Set Polyorama up and open the studio; or, with 'test', run all its tests.",
    )
    parser.add_argument("--remake", action="store_true", help="make .venv anew")
    parser.add_argument(
        "--cuda",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="install what NVIDIA GPUs need, or not (otherwise: where a driver is found)",
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="FILE", help="what to open")
    options = parser.parse_args(argv)
    rest = options.rest[1:] if options.rest[:1] == ["--"] else options.rest
    return options, rest


def has_screen() -> bool:
    """Whether a window can be opened here."""
    if platform.system() != "Linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def prepare(options: argparse.Namespace, extras: set[str]) -> Environment:
    """A ready `.venv` with those extras, and with `cuda` where it is wanted."""
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        version = "python{}.{}-venv".format(*sys.version_info[:2])
        system_packages.require([version], "Python's venv module is not complete")
    environment = Environment(ROOT)
    environment.ensure(extras, remake=options.remake)
    driver = system_packages.nvidia_driver()
    if options.cuda or (options.cuda is None and driver):
        environment.ensure_cuda(driver, retry=bool(options.cuda))
    return environment


def start(options: argparse.Namespace, files: list[str]) -> int:
    """Open the studio, or render where there is no screen."""
    screen = has_screen()
    environment = prepare(
        options, {"gui", "lab", "shapes", "face"} if screen else {"shapes", "face"}
    )
    libraries = system_packages.ENGINE_LIBRARIES
    if screen:
        libraries = {**libraries, **system_packages.WINDOW_LIBRARIES}
    system_packages.require_libraries(libraries)
    environment.warm()
    if screen:
        return open_studio(environment, files)
    return render(environment, files)


def asset(environment: Environment, name: str) -> str:
    """Path of a file that ships with Polyorama."""
    return environment.output(
        f"from importlib.resources import files;print(files('polyorama_assets').joinpath({name!r}))"
    )


def open_studio(environment: Environment, files: list[str]) -> int:
    """Run the studio until its window is closed."""
    say("Opening the studio")
    status = environment.run(["-m", "polyorama_studio", *(files or ["--sample"])])
    if status != 0:
        print(
            f"The studio ended with status {status}. This says what is missing: "
            f"{environment.python} -m polyorama doctor",
            file=sys.stderr,
        )
    return status


def render(environment: Environment, files: list[str]) -> int:
    """Render a picture and a film of the sample project, or of the files given."""
    what = "your files" if files else "the sample project"
    say(f"There is no screen here, so {what} will be rendered to this folder")
    if files:
        jobs = [(file, f"{Path(file).name.split('.')[0]}-demo") for file in files]
        motion = ["--turntable", "6"]
    else:
        # A theatre is seen from the front: its own flight, not a turn around it.
        jobs = [(asset(environment, "sample.poly"), DEMO)]
        motion = ["--cameras", asset(environment, "sample-flight.json"), "--fly", "8"]
    for file, stem in jobs:
        for arguments in (["-o", f"{stem}.png"], ["-o", f"{stem}.mp4", *motion]):
            status = environment.run(["-m", "polyorama", "render", file, *arguments])
            if status != 0:
                return status
        say(f"Rendered {Path(stem).resolve()}.png and .mp4")
    return 0


def test(options: argparse.Namespace, arguments: list[str]) -> int:
    """Run the linters, the type checker and the tests; the status of the first that failed."""
    environment = prepare(options, {"gui", "shapes", "face", "dev"})
    system_packages.require_libraries(
        {**system_packages.ENGINE_LIBRARIES, **system_packages.WINDOW_LIBRARIES}
    )
    system_packages.fetch_speech_tools()
    begun = time.monotonic()
    results: list[tuple[str, int]] = []
    version = environment.output("import sys; print('%d.%d' % sys.version_info[:2])")
    # Libraries' annotations are written for the Python they are installed in.
    types = ("Types", ["-m", "mypy", "--python-version", version])
    for title, command in (*CHECKS, types):
        say(title)
        results.append((title, environment.run(command, cwd=ROOT)))
    say("Tests")
    with virtual_screen() as screen:
        # Windows of the tests are drawn into memory; only OpenGL needs a screen.
        choice = "not study and not gl" if screen is None else "not study"
        variables = {**(screen or {}), "QT_QPA_PLATFORM": "offscreen"}
        for title, chosen in pytest_runs(arguments):
            command = ["-m", "pytest", "-m", choice, *chosen]
            results.append((title, environment.run(command, cwd=ROOT, variables=variables)))
    failed = [title for title, status in results if status != 0]
    minutes, seconds = divmod(round(time.monotonic() - begun), 60)
    verdict = f"Failed: {', '.join(failed)}" if failed else "All is well"
    say(f"{verdict}, after {minutes} min {seconds} s")
    return next((status for _, status in results if status != 0), 0)


def pytest_runs(arguments: list[str]) -> list[tuple[str, list[str]]]:
    """Titles and arguments of the runs of pytest: as asked for, or all there is.

    The whole suite shares the cores where tests open no windows; those that do run one by one, as
    they look at what has the focus.
    """
    if arguments:
        return [("Tests", arguments)]
    processes = min(os.cpu_count() or 1, 4)
    spread = ["-n", str(processes), "--dist", "loadfile"] if processes > 1 else []
    return [
        ("Tests of the engine", [*spread, "tests/engine"]),
        ("Tests of the studio", ["--ignore=tests/engine"]),
    ]


@contextlib.contextmanager
def virtual_screen() -> Iterator[dict[str, str] | None]:
    """Variables that lead to a screen for OpenGL (an Xvfb, for the block); None: there is none."""
    if platform.system() != "Linux":
        yield {}
        return
    server = system_packages.find_xvfb()
    if server is not None:
        with system_packages.xvfb(server) as display:
            yield {"DISPLAY": display}
    elif os.environ.get("DISPLAY"):
        yield {}
    else:
        say("There is no Xvfb, so tests that need OpenGL are left out")
        yield None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
