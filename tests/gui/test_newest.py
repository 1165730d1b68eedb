"""Work of which only the newest result is wanted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from polyorama_studio.newest import Newest

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session


def test_the_newest_answer_is_told(qtbot: QtBot, session: Session) -> None:
    newest = Newest(session, "count", session)
    gate, told = threading.Event(), []
    newest.ask(lambda: gate.wait(10.0) and "first", told.append, told.append)
    newest.ask(lambda: "second", told.append, told.append)
    newest.ask(lambda: "third", told.append, told.append)
    gate.set()
    qtbot.waitUntil(lambda: not newest.busy)
    assert told == ["third"]


def test_an_answer_may_come_after_the_panel_is_gone(qtbot: QtBot, session: Session) -> None:
    panel = QObject()
    newest = Newest(session, "count", panel)
    gate = threading.Event()
    told: list[Any] = []
    newest.ask(lambda: gate.wait(10.0), told.append, told.append)
    newest.forget()
    panel.deleteLater()
    with qtbot.waitSignal(panel.destroyed):
        pass
    gate.set()
    with qtbot.captureExceptions() as errors:
        qtbot.waitUntil(lambda: not session.jobs.active)
        qtbot.wait(1)
    assert errors == []
    assert told == []
