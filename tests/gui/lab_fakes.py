"""A runner without a process, and a Lab that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polyorama.lab.making import made
from polyorama.lab.record import Recorder
from polyorama.lab.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from polyorama.lab.runner import Update
    from polyorama_studio.workspaces.lab.setup import Setup

__all__ = ["LocalRunner", "Runners"]


class LocalRunner:
    """Does in this thread, and at once, what `RemoteRunner` does in a process; time is lent."""

    def __init__(
        self, setup: Setup, folder: Path | None, on_update: Callable[[Update], None]
    ) -> None:
        experiment = made(setup.id, setup.values, setup.rivals, setup.paintings)
        record = None if folder is None else Recorder.create(folder, experiment, setup.seed)
        self.runner = Runner(experiment, setup.seed, record)
        self.setup = setup
        self.closed = False
        self._on_update = on_update
        self._sent = 0
        self._send()

    def _send(self) -> None:
        update = self.runner.update(self._sent)
        self._sent = update.length
        self._on_update(update)

    def pass_time(self, seconds: float, ticks: int = 1) -> None:
        """Let time go by, as the worker's clock does."""
        for _ in range(ticks):
            if self.runner.tick(seconds / ticks) is not None:
                self._send()

    def set_speed(self, speed: float) -> None:
        """As of `RemoteRunner`."""
        self.runner.speed = speed

    def close(self) -> None:
        """As of `RemoteRunner`."""
        self.closed = True
        self.runner.close()

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            getattr(self.runner, name)(*arguments)
            self._send()

        return call


class Runners:
    """Makes them, and keeps those that were made."""

    def __init__(self) -> None:
        self.made: list[LocalRunner] = []

    def __call__(
        self, setup: Setup, folder: Path | None, on_update: Callable[[Update], None],
        on_error: Callable[[str], None],
    ) -> LocalRunner:  # fmt: skip
        self.on_error = on_error
        self.made.append(LocalRunner(setup, folder, on_update))
        return self.made[-1]

    @property
    def last(self) -> LocalRunner:
        """The one that runs now."""
        return self.made[-1]
