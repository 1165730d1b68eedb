"""The virtual environment: made, filled, checked and mended.

A stamp in ``.venv`` says what was installed for which ``pyproject.toml``; it is written last, so an
interrupted set-up is noticed and goes on. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STAMP = "polyorama-setup.json"
UNFINISHED = "polyorama-unfinished"
LOG = "polyorama-setup.log"


class SetupError(Exception):
    """Set-up cannot go on; the text says why and what to do."""


def say(text: str) -> None:
    """One line about the step that begins."""
    print(f"Polyorama: {text}.", flush=True)


class Environment:
    """The virtual environment of one checkout.

    Parameters
    ----------
    root
        The checkout's folder; the environment is its ``.venv``.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.bin = self.folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / ("python.exe" if os.name == "nt" else "python")

    def ensure(self, extras: Iterable[str], *, remake: bool = False) -> None:
        """Make the environment hold the project with `extras`; mend or remake it where needed.

        Raises
        ------
        SetupError
            If that fails; the text ends with the reason.
        """
        if remake and (self.folder.exists() or self.folder.is_symlink()):
            self._remove("Making .venv anew, as asked")
        elif self.folder.exists() and not self._stands():
            self._remove("The .venv here is damaged; making it anew")
        wanted = set(extras)
        stamp = self._stamp()
        key = project_key(self.root)
        if stamp.get("key") == key and wanted <= set(stamp["extras"]) and not self._unfinished():
            return
        if not self.folder.exists():
            self._create()
        all_extras = sorted(wanted | set(stamp.get("extras", [])))
        (self.folder / UNFINISHED).touch()
        say(f"Installing packages for {describe(all_extras)} (the first time takes minutes)")
        begun = time.monotonic()
        self._install(all_extras)
        self._write_stamp({**stamp, "key": key, "extras": all_extras, "warm": False})
        (self.folder / UNFINISHED).unlink(missing_ok=True)
        say(f"Installed in {time.monotonic() - begun:.0f} s")

    def ensure_cuda(self, driver: str | None, *, retry: bool) -> None:
        """Install what an NVIDIA GPU needs; a failure is said, and leaves all else working."""
        stamp = self._stamp()
        if stamp.get("cuda") == "installed":
            return
        if stamp.get("cuda") == "failed" and not retry:
            say("The packages for NVIDIA GPUs failed to install before; --cuda tries again")
            return
        found = f"Found an NVIDIA driver ({driver})" if driver else "Asked for NVIDIA support"
        say(f"{found}; installing the extra 'cuda' (several GB; --no-cuda leaves it out)")
        (self.folder / UNFINISHED).touch()
        try:
            self._install([*stamp["extras"], "cuda"])
        except SetupError as error:
            stamp["cuda"] = "failed"
            print(error, file=sys.stderr)
            say("NVIDIA GPUs cannot be used; all else goes on, drawn by the processor")
        else:
            stamp["cuda"] = "installed"
        self._write_stamp(stamp)
        (self.folder / UNFINISHED).unlink(missing_ok=True)

    def warm(self) -> None:
        """Compile the kernels once after an installation, so that the first picture comes soon.

        Raises
        ------
        SetupError
            If they cannot be compiled: then nothing can be drawn either.
        """
        stamp = self._stamp()
        if stamp.get("warm"):
            return
        say("Preparing the renderer for this processor, once")
        status = self.run(["-m", "polyorama", "warm"])
        if status != 0:
            raise SetupError(
                "The renderer could not be prepared (see above). This says what is wrong: "
                f"{self.python} -m polyorama doctor"
            )
        self._write_stamp({**stamp, "warm": True})

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> int:
        """Run the environment's Python to its end; its exit status (128 + n for a signal n)."""
        environment = {**os.environ, **(variables or {})}
        process = subprocess.Popen([str(self.python), *arguments], cwd=cwd, env=environment)
        try:
            status = process.wait()
        except KeyboardInterrupt:
            # The terminal has told the child too; let it tidy up and say its last word.
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        return 128 - status if status < 0 else status

    def output(self, code: str) -> str:
        """What a line of Python prints in the environment.

        Raises
        ------
        SetupError
            If it fails.
        """
        done = subprocess.run(
            [str(self.python), "-c", code], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise SetupError(
                f"The installation does not work; --remake makes it anew.\n{done.stderr.strip()}"
            )
        return done.stdout.strip()

    def _stands(self) -> bool:
        """Whether Python and pip run there and no installed package has lost files."""
        code = (
            "import json, sys, sysconfig, pip;"
            "print(json.dumps([sysconfig.get_path('purelib'), sys.version_info[:2]]))"
        )
        command = [str(self.python), "-c", code]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
            library, version = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError):
            return False
        if tuple(version) < (3, 11) or not (self.folder / "pyvenv.cfg").is_file():
            return False
        return not damaged_packages(Path(library), thorough=self._unfinished())

    def _unfinished(self) -> bool:
        return (self.folder / UNFINISHED).exists()

    def _remove(self, reason: str) -> None:
        say(reason)
        if Path(sys.prefix).resolve() == self.folder.resolve():
            raise SetupError(
                "This runs with the Python inside .venv, which cannot replace itself; "
                f"run it with the Python that made it: {base_python()} packaging/start.py"
            )
        try:
            if self.folder.is_symlink():
                self.folder.unlink()
            else:
                shutil.rmtree(self.folder)
        except OSError as error:
            raise SetupError(
                f"Cannot remove the damaged environment ({error.strerror}); close what uses it, "
                f"or remove it by hand: {self.folder}"
            ) from error

    def _create(self) -> None:
        version = "{}.{}.{}".format(*sys.version_info[:3])
        say(f"Making .venv with Python {version}")
        command = [base_python(), "-m", "venv", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            reason = last_lines(done.stdout + done.stderr)
            raise SetupError(f"Python could not make an environment in {self.folder}:\n{reason}")

    def _install(self, extras: Sequence[str]) -> None:
        with (self.root / "pyproject.toml").open("rb") as file:
            build = tomllib.load(file)["build-system"]["requires"]
        # The build tools go into the environment, not into a fresh one for each build: so nothing
        # is downloaded again when all is there, and it works without a network.
        if build:
            self._pip(build)
        if sys.platform == "linux":
            # First and by itself: where a small build for the CPU lies at hand, pip takes it for
            # this release, while the project's wider range may choose gigabytes for GPUs.
            self._pip([TORCH])
        target = str(self.root) + (f"[{','.join(extras)}]" if extras else "")
        self._pip(["--no-build-isolation", "--editable", target])

    def _pip(self, arguments: Sequence[str]) -> None:
        """Run ``pip install``, with its log kept and a line of progress on terminals."""
        command = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        command += ["--progress-bar", "off", "--no-input", *arguments]
        path = self.folder / LOG
        lines: list[str] = []
        with (
            path.open("a", encoding="utf-8", buffering=1) as log,
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.root,
            ) as process,
        ):
            print(f"$ {' '.join(command)}", file=log)
            assert process.stdout is not None
            for line in process.stdout:
                log.write(line)
                lines.append(line.rstrip())
                show_progress(line.strip())
        show_progress("")
        if process.returncode != 0:
            reason = last_lines("\n".join(lines))
            raise SetupError(f"pip could not install the packages:\n{reason}\nIts log: {path}")

    def _stamp(self) -> dict[str, Any]:
        try:
            stamp = json.loads((self.folder / STAMP).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, stamp: Mapping[str, Any]) -> None:
        temporary = self.folder / (STAMP + ".new")
        temporary.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        temporary.replace(self.folder / STAMP)


TORCH = "torch==2.13.0"
"""The release of torch that is tested; pyproject's range holds it."""


def project_key(root: Path) -> str:
    """A hash of all that decides what is installed: the project's tables and its folder."""
    with (root / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)
    parts = [data["project"], data["build-system"], data["tool"]["setuptools"]]
    text = json.dumps([*parts, str(root)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def damaged_packages(library: Path, *, thorough: bool) -> list[str]:
    """Names of installed packages whose files are gone.

    By default only packages' ``__init__.py`` and compiled modules are looked for, in some tens of
    milliseconds; `thorough` looks for every file.
    """
    telling = ("__init__.py", ".so", ".pyd", ".dll", ".dylib")
    damaged = []
    for record in library.glob("*.dist-info"):
        try:
            rows = (record / "RECORD").read_text(encoding="utf-8").splitlines()
        except OSError:
            damaged.append(record.name)
            continue
        for row in rows:
            path = row.rsplit(",", 2)[0].strip('"')
            if path.endswith(".pyc") or not (thorough or path.endswith(telling)):
                continue
            if not os.path.exists(os.path.join(library, path)):
                damaged.append(record.name)
                break
    return damaged


def base_python() -> str:
    """The interpreter that environments are made with, even when this runs inside one."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


def describe(extras: Sequence[str]) -> str:
    """What a set of extras is for, in words."""
    words = {
        "gui": "the window", "lab": "the lab's figures and tables", "dev": "the tests",
        "shapes": "finding shapes", "qdrant": "a Qdrant server", "farm": "many machines",
        "cuda": "NVIDIA", "face": "talking faces",
    }  # fmt: skip
    return ", ".join(["the engine", *(words.get(extra, extra) for extra in extras)])


def last_lines(text: str, count: int = 12) -> str:
    """The end of a log, indented, without empty lines and notices."""
    lines = [line for line in text.splitlines() if line.strip() and "[notice]" not in line]
    return "\n".join(f"    {line}" for line in lines[-count:])


def show_progress(text: str) -> None:
    """Show the step that pip is at, in one line that the next one overwrites, on terminals."""
    steps = ("Collecting", "Downloading", "Installing", "Building")
    if sys.stdout.isatty() and (not text or text.startswith(steps)):
        width = max(20, shutil.get_terminal_size().columns - 4)
        print(f"\r  {text[:width]:{width}}", end="" if text else "\r", flush=True)
