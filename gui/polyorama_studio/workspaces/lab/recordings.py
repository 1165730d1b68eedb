"""Where runs are recorded while the Lab is open."""

from __future__ import annotations

import tempfile
from pathlib import Path

__all__ = ["RunFolders"]


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
