"""Cycles with Qt objects in them die on the GUI thread, whoever allocates."""

from __future__ import annotations

import gc
import sys
import threading
from types import ModuleType
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
    leave_as_found()


def test_what_an_import_brings_is_not_walked_over(qtbot: QtBot, monkeypatch) -> None:
    """It would hold the window up for a tenth of a second."""
    deaths: list[int] = []
    collector = Collector()
    try:
        before = gc.get_freeze_count()
        brought = [[i] for i in range(100_000)]
        for number in range(60):
            name = f"brought_{number}"
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        qtbot.waitUntil(lambda: gc.get_freeze_count() >= before + len(brought), timeout=10_000)
        leave_a_cycle(deaths)
        kept = [[i] for i in range(5_000)]
        qtbot.waitUntil(lambda: bool(deaths), timeout=10_000)
        assert kept
    finally:
        collector.close()
    leave_as_found()


def leave_as_found() -> None:
    """As the other tests have it: each collects, and need not walk over the engine's objects."""
    gc.disable()
    gc.freeze()
