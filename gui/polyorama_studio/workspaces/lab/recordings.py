"""Where runs are recorded: while the Lab is open, and kept for talks; and when those are played."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import platformdirs

from polyorama.errors import OutputError

if TYPE_CHECKING:
    from polyorama_studio.workspaces.lab.setup import Setup

__all__ = ["RunFolders", "Slowness", "keep", "kept_folder"]

_SLOW = 0.5
"""Share of the steps that are wanted below which a machine is too slow."""
_PATIENCE_S = 3.0


class RunFolders:
    """A folder a run, all of them gone when the Lab is closed."""

    def __init__(self) -> None:
        self._all: tempfile.TemporaryDirectory[str] | None = None

    def fresh(self, number: int) -> Path:
        """A path that nothing is at yet."""
        if self._all is None:
            self._all = tempfile.TemporaryDirectory(
                prefix="polyorama-lab-", ignore_cleanup_errors=True
            )
        return Path(self._all.name) / f"run-{number}"

    def close(self) -> None:
        """Remove them."""
        if self._all is not None:
            self._all.cleanup()
            self._all = None


def kept_folder(setup: Setup, active: tuple[str, ...]) -> Path:
    """Where the run of a setup is kept, if it is; `active` are the rivals that take part."""
    about = [setup.id, setup.seed, dict(setup.values), active]
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name, array in sorted(setup.paintings.items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array, np.float64).tobytes())
    name = f"{setup.id.replace('/', '-')}-{digest.hexdigest()[:16]}"
    return platformdirs.user_data_path("polyorama") / "lab runs" / name


def keep(folder: Path, target: Path) -> None:
    """Copy the record of a run to where it is looked for when a machine is too slow.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    fresh = target.with_name(target.name + ".new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(folder, fresh)
        shutil.rmtree(target, ignore_errors=True)
        fresh.rename(target)
    except OSError as error:
        raise OutputError(
            f"The run cannot be kept ({(error.strerror or str(error)).lower()}): {target}"
        ) from error


class Slowness:
    """Finds out that a machine cannot do the steps that its speed asks for."""

    def __init__(self) -> None:
        self._since = -1.0
        self.found = False
        """Whether it was told once."""

    def forget(self) -> None:
        """Another run begins, or another speed."""
        self._since, self.found = -1.0, False

    def watch(self, now: float, done: float, wanted: float) -> bool:
        """Whether it is too slow for the first time.

        Parameters
        ----------
        now
            Time, s.
        done, wanted
            Steps a second; an infinite wish is always met.
        """
        if not done < _SLOW * wanted or wanted == float("inf"):
            self._since = -1.0
            return False
        if self._since < 0.0:
            self._since = now
        if self.found or now - self._since < _PATIENCE_S:
            return False
        self.found = True
        return True
