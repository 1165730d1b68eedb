"""The one hop between threads."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from polyorama_studio.bridge import Bridge

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def on_a_thread(work) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_the_newest_value_arrives_here(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[tuple[int, int]] = []

    def take(value: int) -> None:
        got.append((value, threading.get_ident()))

    def work() -> None:
        for value in range(100):
            bridge.post("key", take, value)

    on_a_thread(work)
    qtbot.waitUntil(lambda: bool(got))
    assert got == [(99, threading.get_ident())]
    bridge.close()


def test_keys_do_not_replace_each_other(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[str] = []

    def work() -> None:
        bridge.post("a", got.append, "a")
        bridge.post("b", got.append, "b")

    on_a_thread(work)
    qtbot.waitUntil(lambda: len(got) == 2)
    assert got == ["a", "b"]
    bridge.close()


def test_mail_posted_by_a_handler_arrives_too(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[int] = []

    def take(value: int) -> None:
        got.append(value)
        if value < 3:
            bridge.post("key", take, value + 1)

    bridge.post("key", take, 0)
    qtbot.waitUntil(lambda: got == [0, 1, 2, 3])
    bridge.close()


def test_a_closed_bridge_is_silent(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[int] = []
    seen: list[int] = []
    bridge.post("key", got.append, 1)
    bridge.close()
    bridge.post("key", got.append, 2)
    # The mail of a bridge that woke later has come, so this one's would have, too.
    later = Bridge()
    later.post("key", seen.append, 3)
    qtbot.waitUntil(lambda: seen == [3])
    assert got == []
    later.close()


class Panel(QObject):
    """Takes mail while it lives."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[int] = []

    def take(self, value: int) -> None:
        self.got.append(value)


def test_mail_for_what_qt_has_deleted_is_dropped(qtbot: QtBot) -> None:
    bridge, panel = Bridge(), Panel()
    got: list[int] = []
    bridge.post("method", panel.take, 1)
    bridge.post("partial", partial(partial(panel.take)), 2)
    bridge.post("function", got.append, 3)
    shiboken6.delete(panel)
    qtbot.waitUntil(lambda: bool(got))
    assert panel.got == []
    bridge.close()


def test_a_handler_that_closes_the_bridge_gets_the_last_mail(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[str] = []

    def close(value: str) -> None:
        got.append(value)
        bridge.close()

    bridge.post("a", close, "first")
    bridge.post("b", got.append, "second")
    qtbot.waitUntil(lambda: bool(got))
    assert got == ["first"]
