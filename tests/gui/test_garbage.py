"""Cycles with Qt objects in them die on the GUI thread, whoever allocates."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from polyorama_studio.garbage import Collector

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


class Tell:
    """Notes on which thread it died."""

    def __init__(self, deaths: list[int]) -> None:
        self._deaths = deaths

    def __del__(self) -> None:
        self._deaths.append(threading.get_ident())


def leave_a_cycle(deaths: list[int]) -> None:
    a, b = QObject(), QObject()
    a.other, b.other, a.tell = b, a, Tell(deaths)  # type: ignore[attr-defined]


def allocate() -> None:
    kept = [[i] for i in range(50_000)]
    assert kept


def test_cycles_die_on_this_thread(qtbot: QtBot) -> None:
    deaths: list[int] = []
    collector = Collector()
    try:
        leave_a_cycle(deaths)
        thread = threading.Thread(target=allocate)
        thread.start()
        thread.join()
        assert not deaths, "a thread of jobs collects nothing"
        kept = [[i] for i in range(5_000)]
        qtbot.waitUntil(lambda: bool(deaths), timeout=10_000)
        assert kept
    finally:
        collector.close()
    assert deaths == [threading.get_ident()]
    assert gc.isenabled()
    # As the other tests of the studio have it: each collects, and need not walk over the engine's.
    gc.disable()
    gc.freeze()
