"""Files with any name: what is shown of them, and that they can be opened, kept and copied."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel

from polyorama.scene.document import Node
from polyorama.scene.selection import BitSet
from polyorama_studio import camera_text
from polyorama_studio.orbit import OrbitView
from polyorama_studio.panels.messages import MessagesPanel
from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Busy, Notice
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.start import RecentRow
from polyorama_studio.words import legible, local_path, menu_text, shortened, splats_left, tip
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.window import Window

bytes_names = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="file names are text here"
)
BAD = os.fsdecode(b"bad\xff.ply")
LONG = "x" * 240 + ".ply"
ODD = [
    "<b>bold<b>.ply", "salt&pepper.ply", "[*].ply", "%1 {0} %n.ply", "caf\u00e9 \u732b.ply", LONG,
]  # fmt: skip


def test_what_is_no_text_is_marked() -> None:
    assert legible("caf\u00e9 \u732b & <b>.ply") == "caf\u00e9 \u732b & <b>.ply"
    assert legible("a\nb\x1b[31m\u2028c.ply") == "a\ufffdb\ufffd[31m\ufffdc.ply"
    assert legible("a\u202eylp.exe") == "a\ufffdylp.exe"
    assert legible(BAD).encode() == "bad\ufffd.ply".encode()
    metrics = QFontMetrics(font(Metrics.body))
    assert shortened("plant.ply", metrics, 200) == "plant.ply"
    short = shortened(LONG, metrics, 200)
    assert short.startswith("xxx")
    assert short.endswith("x.ply")
    assert metrics.horizontalAdvance(short) <= 200


def test_tips_and_menus_show_names_as_they_are(qtbot: QtBot) -> None:
    label = QLabel(tip("<b>bold</b>\n& more"))
    qtbot.addWidget(label)
    plain = QLabel("<qt>x<br>x</qt>")
    qtbot.addWidget(plain)
    assert label.sizeHint().width() > 3 * plain.sizeHint().width(), "tags are shown, not obeyed"
    assert label.sizeHint().height() == plain.sizeHint().height()
    assert menu_text("salt&pepper.ply") == "salt&&pepper.ply"


@pytest.mark.parametrize("name", [*ODD, pytest.param(BAD, marks=bytes_names), "a\nb.ply"])
def test_any_name_can_be_opened(qtbot: QtBot, window: Window, tmp_path: Path, name: str) -> None:
    if sys.platform == "win32" and set(name) & set('<>"|?*\n'):
        pytest.skip("Windows has no such names")
    session, path = window.session, tmp_path / name
    path.touch()
    session.open_files([path])
    qtbot.waitUntil(lambda: session.stage.picture is not None)
    shown = window._status._name
    assert shown.textFormat() == Qt.TextFormat.PlainText
    assert shown.sizeHint().width() <= Metrics.name_words + 4
    assert shown.sizeHint().height() < Metrics.status
    assert window.minimumSizeHint().width() < 900
    assert session.preferences.recent == [path.resolve()]
    assert Preferences(path=tmp_path / "studio.ini").recent == [path.resolve()]
    shown = window.windowTitle().replace("[*][*]", "[*]")
    assert shown == f"{legible(name)}[*] - Polyorama"
    session.opening.close()
    row = next(row for row in window.findChildren(RecentRow) if row.isVisible())
    assert row.height() == 35, "one line"
    for label in row.findChildren(QLabel):
        assert label.geometry().right() <= row.width()
        assert label.pixmap() or label.textFormat() == Qt.TextFormat.PlainText
    action = window.menus.recent.actions()[0]
    assert action.text().count("&") == 2 * name.count("&")
    action.trigger()
    qtbot.waitUntil(lambda: session.files == (path.resolve(),) and session.stage.idle)


@bytes_names
def test_names_that_are_not_utf8_can_be_dropped(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    path = tmp_path / BAD
    mime = QMimeData()
    mime.setData("text/uri-list", path.as_uri().encode() + b"\r\n")
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    at = QPointF(50.0, 50.0)
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(window.viewport, QDragEnterEvent(at, copy, mime, left, none))
    QApplication.sendEvent(window.viewport, QDropEvent(at, copy, mime, left, none))
    qtbot.waitUntil(lambda: window.session.stage.document is not None)
    assert window.session.files == (path,)


@pytest.mark.parametrize("name", [*ODD, "50%25 #?.ply", "a b.ply"])
def test_dropped_names_stay_what_they_are(tmp_path: Path, name: str) -> None:
    assert local_path(QUrl.fromLocalFile(str(tmp_path / name))) == tmp_path / name


@bytes_names
def test_the_copied_command_names_any_file(tmp_path: Path) -> None:
    names = [BAD, "a\nb'c\\d.ply", "it's.ply"]
    files = [tmp_path / name for name in names]
    line = camera_text.command_line(OrbitView(), (40, 30), files)
    script = line.encode().replace(b"polyorama render", b"printf '%s\\0'")
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stdout.split(b"\0")[:3] == [os.fsencode(path) for path in files]


def test_long_names_stay_inside_their_notes(qtbot: QtBot, window: Window) -> None:
    viewport = window.viewport
    window.session.set_busy(Busy(f"Opening {LONG}"))
    qtbot.waitUntil(viewport.busy.isVisible)
    assert viewport.rect().contains(viewport.busy.geometry())
    window.session.set_busy(None)
    window.session.notice.emit(Notice("bad", f"Cannot read it: /somewhere/{LONG}"))
    toast = viewport.toasts.toasts[0]
    words = toast._words
    assert words.sizeHint().width() <= words.width()
    broken = words.fontMetrics().boundingRect(
        0, 0, words.width(), 10_000, Qt.TextFlag.TextWordWrap, words.text()
    )
    assert broken.width() <= words.width(), "no line is cut off"


def test_recent_files_that_may_not_be_looked_at_are_left_out(
    preferences: Preferences, tmp_path: Path
) -> None:
    """A name too long for the system is one that `Path.exists` raises an error for."""
    good = tmp_path / "a.ply"
    good.touch()
    names = [str(tmp_path / ("y" * 5000)), str(good), "nul\0.ply"]
    preferences._settings.setValue("recent", names)
    assert preferences.recent == [good]


def test_toasts_say_the_first_line_and_messages_all(window: Window) -> None:
    text = "There is no column foo.\n  foo > 3\n  ^^^\nThere are x, y and z."
    window.session.notice.emit(Notice("bad", text))
    toast = window.viewport.toasts.toasts[0]
    assert toast._words.text() == "There is no column foo."
    assert toast.accessibleName() == "There is no column foo."
    shown = MessagesPanel(window.session, window).list.item(0).text()
    assert shown.endswith("There is no column foo.\n  foo > 3\nThere are x, y and z.")


def test_deleted_splats_are_no_longer_counted() -> None:
    node = Node("Pot", a_cloud(400))
    assert splats_left([node]) == "400 splats"
    gone = BitSet.of_indices([3, 5, 9], 400)
    assert splats_left([replace(node, deleted=gone)]) == "397 of 400 splats"
