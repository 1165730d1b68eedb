"""The command line: one module a subcommand, each a thin face of a public verb."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import polyorama
from polyorama.core.text import one_line
from polyorama.errors import PolyoramaError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["COMMANDS", "DRAWING", "Parser", "main"]

COMMANDS: dict[str, str] = {
    "bench": "measure this machine: frames, files, start-up",
    "doctor": "say what works on this machine, and what to do about the rest",
    "warm": "compile for this processor now, not at the first picture or fit",
    "render": "make pictures and films of captures, meshes and projects",
    "fit": "make a scene from photographs and their cameras",
    "info": "say what is in a splat file, and what is wrong with it",
    "demo": "write the sample project, a paper theatre, anew",
    "convert": "change formats, merge, move, clean and thin out captures",
    "export": "write what a project shows as one capture, and say what each format costs",
    "edit": "run scripts of operations on projects and captures, and save the result",
    "lab": "run published methods: live experiments, recorded, swept, and held to their claims",
    "shapes": "index models and find them by words, pictures and other models",
    "face": "let faces speak recordings, live or as films and in animators' formats",
    "models": "list, download, check and find the models that others trained",
}
"""Subcommand to one line of help; the module `polyorama.cli.<name>` has add_arguments and run."""

DRAWING = frozenset({"bench", "demo", "export", "fit", "render"})
"""Subcommands before which the renderer is compiled, where that was not done yet."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (2 where the person must change something).

    Ctrl-C ends with 130 and a request to end (SIGTERM) with 143, both after tidying up.
    """
    # Started with a closed stream: what would be said there is said to no one.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    with _ending() as ended:
        status = _guarded(list(sys.argv[1:] if argv is None else argv))
    return 143 if ended and status == 130 else status


@contextlib.contextmanager
def _ending() -> Iterator[list[int]]:
    """Let a request to end do what Ctrl-C does; gives a list that is empty until one comes."""
    ended: list[int] = []

    def end(number: int, _frame: object) -> None:
        ended.append(number)
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not the main thread: signals are its caller's
        yield ended
        return
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


def _guarded(arguments: list[str]) -> int:
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except PolyoramaError as error:
        return _say(str(error), 2)
    except MemoryError:
        return _say("There is not enough memory for this; choose a smaller size or file.", 2)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong.
        sys.stderr.close()
        return 0
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return _say(f"The system refused ({error.strerror or error}){place}", 2)
    except KeyboardInterrupt:
        return _say("stopped.", 130)
    return status


def _run(arguments: list[str]) -> int:
    parser = Parser(
        prog="polyorama",
        description="Edit, convert and render Gaussian-splat scenes.",
    )
    parser.add_argument("--version", action="version", version=f"polyorama {polyorama.__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    # Only the subcommand that was asked for is imported, so that --help stays quick.
    chosen = next((word for word in arguments if word in COMMANDS), None)
    run = None
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = importlib.import_module(f"polyorama.cli.{name}")
            module.add_arguments(subparser)
            run = module.run
    options, unknown = parser.parse_known_args(arguments)
    assert run is not None
    assert chosen is not None
    if unknown:
        subparsers.choices[chosen].error(f"there is no {' '.join(unknown)}")
    importlib.import_module("polyorama.core.log").to_stderr()
    if chosen in DRAWING or chosen == "warm":
        _check_compiler()
    if chosen in DRAWING:
        importlib.import_module("polyorama.cli.warm").prepare()
    return int(run(options) or 0)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage of forty options above it."""

    def error(self, message: str) -> NoReturn:
        """Say it and leave with status 2."""
        text = one_line(message.removeprefix("argument ")).rstrip(".")
        self.exit(2, f"polyorama: {text}; {self.prog} --help tells more.\n")


def _check_compiler() -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise UnavailableError(
            "Nothing can be drawn while the compiler is switched off; unset NUMBA_DISABLE_JIT."
        )


def _say(text: str, status: int) -> int:
    with contextlib.suppress(OSError):  # nobody can be told where even stderr is gone
        print(f"polyorama: {one_line(text)}", file=sys.stderr)
    return status
