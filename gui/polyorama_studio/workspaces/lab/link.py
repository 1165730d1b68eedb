"""The line to whoever plays a run: commands go there, updates come back on this thread."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session

    Maker = Callable[[Callable[[Update], None], Callable[[str], None]], "Player"]

__all__ = ["Link", "Player"]


class Player(Protocol):
    """What plays a run; all but `close` return at once."""

    def play(self) -> None:
        """Go on."""

    def pause(self) -> None:
        """Stand still."""

    def step(self, count: int = 1) -> None:
        """Do so many steps, and pause."""

    def seek(self, index: int) -> None:
        """Show a recorded moment."""

    def set_speed(self, speed: float) -> None:
        """Play at a factor of the experiment's rate."""

    def set(self, name: str, value: Any) -> None:
        """Change a live parameter."""

    def paint(self, name: str, array: NDArray[Any]) -> None:
        """Replace what is on a canvas."""

    def flush(self) -> None:
        """Have the record written."""

    def close(self) -> None:
        """End it, and call nobody any more."""


class Link(QObject):
    """Holds the player of the run that is on the stage, one at a time.

    What a player says after another one was announced is dropped.

    Parameters
    ----------
    session
        Has the bridge and the jobs.
    """

    came = Signal(object)
    """A list of `Update` without a gap, oldest first."""
    failed = Signal(str)
    """The player cannot go on, or refused something; one sentence."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.player: Player | None = None
        self.number = 0
        """Of the run that is wanted; announced ones are counted."""
        self._inbox: deque[tuple[int, Update]] = deque()

    def announce(self) -> int:
        """Another run will come; nothing of the one before is told from now on."""
        self.number += 1
        return self.number

    def connect_to(self, make: Maker) -> Player:
        """Let the player before go, and take the one that `make` gives for the announced run."""
        self.let_go()
        say, complain = partial(self._on_said, self.number), partial(self._on_error, self.number)
        self.player = make(say, complain)
        return self.player

    def let_go(self) -> None:
        """End the player, beside this thread: it may take a moment."""
        player, self.player = self.player, None
        if player is not None:
            done = Handlers(_nothing, self._session.report, _nothing)
            self._session.start_job(player.close, done, "end an experiment", keep=True)

    def close(self) -> None:
        """End the player, and take nothing more from it."""
        self.announce()
        player, self.player = self.player, None
        if player is not None:
            player.close()

    def _on_said(self, number: int, update: Update) -> None:
        # On the player's thread. All updates are kept, for each has rows that no other one has.
        self._inbox.append((number, update))
        self._session.bridge.post(("lab", id(self)), self._take, None)

    def _on_error(self, number: int, error: str) -> None:
        # On the player's thread.
        self._session.bridge.post(("lab error", id(self)), self._fail, (number, error))

    def _take(self, nothing: object) -> None:
        updates: list[Update] = []
        while self._inbox:
            number, update = self._inbox.popleft()
            if number == self.number:
                updates.append(update)
        if updates:
            self.came.emit(updates)

    def _fail(self, said: tuple[int, str]) -> None:
        number, error = said
        if number == self.number:
            self.failed.emit(error)


def _nothing(result: object) -> None:
    """Nobody waits for it."""
