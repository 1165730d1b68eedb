"""Work of which only the newest result is wanted."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import shiboken6
from PySide6.QtCore import QObject

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama_studio.bridge import Bridge
from polyorama_studio.jobs import Handlers, JobRunner
from polyorama_studio.newest import Newest

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama.core.jobs import Job
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


class Panel(QObject):
    """Is told of a job."""

    def __init__(self, told: list[Any]) -> None:
        super().__init__()
        self.told = told

    def take(self, value: Any) -> None:
        self.told.append(value)


@pytest.mark.parametrize("fails", [False, True])
def test_a_panel_that_went_while_its_job_ran_is_told_nothing(
    qtbot: QtBot, session: Session, fails: bool
) -> None:
    gate, told = threading.Event(), []
    panel = Panel(told)

    def work() -> Job[int]:
        yield Progress(0, 2, "")
        gate.wait(10.0)
        yield Progress(1, 2, "")
        if fails:
            raise UsageError("It died.")
        return 3

    session.start_job(work, Handlers(panel.take, panel.take, panel.take), "Work")
    qtbot.waitUntil(lambda: len(told) == 1)
    shiboken6.delete(panel)
    gate.set()
    qtbot.waitUntil(lambda: not session.jobs.active)
    assert len(told) == 1


def test_jobs_that_do_not_stop_hold_the_end_up_once() -> None:
    bridge = Bridge()
    runner, gate = JobRunner(bridge), threading.Event()
    nobody = Handlers(print, print, print)
    for number in range(5):
        runner.submit(lambda: gate.wait(10.0), nobody, f"stubborn {number}")
    start = time.perf_counter()
    runner.close(0.3)
    elapsed = time.perf_counter() - start
    bridge.close()
    gate.set()
    for thread in threading.enumerate():
        if thread.name.startswith("job stubborn"):
            thread.join(5.0)
    assert elapsed < 0.9, "all together, not one after the other"
