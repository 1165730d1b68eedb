"""Watched folders: looked at now and then, which works on any drive, networks' among them."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.shapes.library.index import plan_of
from polyorama.shapes.library.scan import Scan, scan, stamp_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

    from polyorama.shapes.library.db import Database

__all__ = ["Changes", "changes", "watch"]

_STEP_S = 0.2


@dataclass(frozen=True, slots=True)
class Changes:
    """What an index run would have to do.

    Parameters
    ----------
    waiting
        Paths that are new or have changed.
    gone
        Paths that are no longer there.
    unread
        Folders that cannot be read, such as a drive that is away.
    state
        Another as soon as any of those that wait has changed once more.
    """

    waiting: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    state: str = ""

    def __bool__(self) -> bool:
        return bool(self.waiting or self.gone)


def changes(db: Database, roots: Sequence[str], shelf: int | None) -> Changes:
    """Compare folders with the library by dates and sizes alone.

    Parameters
    ----------
    db
        Of the library.
    roots
        Absolute paths of folders.
    shelf
        Files without a vector there wait, too; None asks for no vectors.
    """
    found = Scan()
    for now in scan(roots):
        found = now
    plan = plan_of(db, found, roots, shelf)
    waiting = tuple(path for path, _ in plan.waiting)
    state = hashlib.blake2b(digest_size=12)
    for path in waiting:
        state.update(stamp_of(found, path, ()).encode())
    return Changes(
        waiting, tuple(sorted(plan.gone)), tuple(str(item.path) for item in found.failures),
        state.hexdigest(),
    )  # fmt: skip


def watch(
    look: Callable[[], Changes], interval_s: float, stopped: threading.Event
) -> Iterator[Changes]:
    """Yield changes whenever there are any, until `stopped` is set.

    What is seen must be the same twice, a look apart: a file that is still being copied waits.

    Parameters
    ----------
    look
        Finds changes, as `changes` does.
    interval_s
        Time between looks, s.
    stopped
        Ends the watch within a fraction of a second.

    Raises
    ------
    UsageError
        If the interval is not above zero.
    """
    if not interval_s > 0.0:
        raise UsageError(f"The time between looks must be above zero, not {interval_s} s.")
    before = Changes()
    while not stopped.is_set():
        now = look()
        if now and now == before:
            yield now
            before = Changes()
        else:
            before = now
        due = time.monotonic() + interval_s
        while time.monotonic() < due and not stopped.is_set():
            stopped.wait(min(_STEP_S, max(0.0, due - time.monotonic())))
