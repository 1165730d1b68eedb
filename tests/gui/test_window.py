"""The window and its viewport, driven as a person would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QScreen, QWheelEvent
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QToolButton, QWidget

from polyorama_studio.dialogs.picture import PictureDialog
from polyorama_studio.session import Busy, Notice
from polyorama_studio.strips import PythonLine
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.start import RecentRow
from polyorama_studio.viewport.toasts import Toast
from polyorama_studio.window import Window
from tests.gui.fakes import DEPTH

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session
    from tests.gui.fakes import FakeRasterizer

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def drag(qtbot: QtBot, widget: QWidget, button, modifiers, start: QPoint, step: QPoint) -> None:
    qtbot.mousePress(widget, button, modifiers, start)
    # QTest's moves carry no buttons, but the viewport knows that it is dragging.
    qtbot.mouseMove(widget, start + step)
    qtbot.mouseRelease(widget, button, modifiers, start + step)


def wheel(widget: QWidget, at: QPointF, notches: float, pixels: int = 0) -> None:
    event = QWheelEvent(
        at, widget.mapToGlobal(at), QPoint(0, pixels), QPoint(0, round(120 * notches)),
        Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def test_the_viewport_owns_the_window(opened: Window) -> None:
    viewport = opened.viewport
    share = viewport.width() * viewport.height() / (opened.width() * opened.height())
    assert (opened.width(), opened.height()) == (1440, 900)
    assert share >= 0.6


def test_a_new_window_fits_the_screen_with_its_frame(session: Session, monkeypatch) -> None:
    room = QRect(0, 0, 1440, 900)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda screen: room)
    window = Window(session)
    assert window.width() <= 1440 - Metrics.window_frame[0]
    assert window.height() <= 900 - Metrics.window_frame[1]
    assert window.width() > 1400
    window.close()
    window.deleteLater()


def test_there_is_no_gl_widget(opened: Window) -> None:
    assert opened.findChildren(QOpenGLWidget) == []


def test_the_picture_is_painted(opened: Window) -> None:
    color = opened.viewport.grab().toImage().pixelColor(40, 40)
    assert color == opened.session.theme.tokens.color("stage")


def test_start_page_comes_and_goes(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    start = window.viewport.start
    assert start.isVisible()
    assert not window.viewport.cube.isVisible()
    texts = [label.text() for label in start.findChildren(QLabel)]
    assert "Drop a capture here, or open the sample stage" in texts
    window.session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: window.session.stage.document is not None)
    assert not start.isVisible()
    assert window.viewport.cube.isVisible()
    rows = start.findChildren(RecentRow)
    window.session.preferences.remember([tmp_path])
    assert start.findChildren(RecentRow) == rows, "nobody sees them"
    window.session.opening.close()
    assert start.isVisible()
    rows = [row for row in start.findChildren(RecentRow) if row.isVisible()]
    assert [row.path.name for row in rows] == [tmp_path.name]


def test_recent_files_are_offered(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ply" for name in "abcdefghij"]
    for path in paths:
        path.touch()
    window.session.preferences.remember(paths)
    paths[0].unlink()
    window.session.preferences.recent_changed.emit()
    rows = [row for row in window.viewport.start.findChildren(RecentRow) if row.isVisible()]
    assert [row.path.name for row in rows] == ["b.ply", "c.ply", "d.ply", "e.ply", "f.ply"]
    qtbot.mouseClick(rows[1], LEFT)
    qtbot.waitUntil(lambda: window.session.title == "c.ply")
    assert window.windowTitle() == "c.ply[*] - Polyorama"
    assert not window.isWindowModified()


def test_start_page_keeps_its_spaces(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    """With and without recent files the words stand equally close together."""
    start, places = window.viewport.start, []
    for number in (0, 1, 5):
        paths = [tmp_path / f"{name}.ply" for name in "abcdefgh"[:number]]
        for path in paths:
            path.touch()
        window.session.preferences.remember(paths)
        QApplication.processEvents()
        labels = [label for label in start.findChildren(QLabel) if label.objectName()]
        title, hint = labels[0], labels[1]
        assert title.height() == title.heightForWidth(title.width())
        places.append((title.y(), hint.y(), start.open_button.y()))
        rows = [row for row in start.findChildren(RecentRow) if row.isVisible()]
        assert [row.height() for row in rows] == [35] * number
        assert start.rect().contains(rows[-1].geometry() if rows else start.open_button.geometry())
    assert len(set(places)) == 1


def test_drags_orbit_and_pan(qtbot: QtBot, opened: Window) -> None:
    stage, viewport = opened.session.stage, opened.viewport
    start = stage.view
    drag(qtbot, viewport, LEFT, NONE, QPoint(300, 300), QPoint(60, 30))
    assert stage.view.yaw < start.yaw, "dragging right turns the scene to the right"
    assert stage.view.pitch > start.pitch
    assert stage.view.target == start.target
    for button, modifiers in ((MIDDLE, NONE), (LEFT, SHIFT)):
        before = stage.view
        held = before.point_at(300, 300, viewport.width(), viewport.height())
        drag(qtbot, viewport, button, modifiers, QPoint(300, 300), QPoint(-40, 25))
        assert (stage.view.yaw, stage.view.pitch) == (before.yaw, before.pitch)
        seen = stage.view.project(tuple(held), viewport.width(), viewport.height())
        assert seen == pytest.approx((260, 325))
    qtbot.waitUntil(lambda: stage.idle)


def test_the_wheel_zooms_to_the_surface_under_the_pointer(qtbot: QtBot, opened: Window) -> None:
    stage, viewport = opened.session.stage, opened.viewport
    at = QPointF(400.0, 250.0)
    held = viewport.navigator.surface_point(at)
    assert held is not None
    depth = (held - stage.view.eye) @ -stage.view.axes()[2]
    assert depth == pytest.approx(DEPTH)
    distance = stage.view.distance
    wheel(viewport, at, 2)
    wheel(viewport, at, 1)
    assert stage.view.distance < distance
    seen = stage.view.project(tuple(held), viewport.width(), viewport.height())
    assert seen == pytest.approx((at.x(), at.y()), abs=1.0)
    wheel(viewport, at, -3)
    assert stage.view.distance == pytest.approx(distance)
    qtbot.waitUntil(lambda: stage.idle)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("orthographic", [False, True])
def test_no_turn_of_the_wheel_runs_away(
    qtbot: QtBot, opened: Window, sign: int, orthographic: bool
) -> None:
    stage, viewport = opened.session.stage, opened.viewport
    stage.with_projection(orthographic)
    whole = stage.view.distance
    far = sign * 1_000_000
    for number in range(60):
        at = QPointF(37.0 * number % viewport.width(), 91.0 * number % viewport.height())
        wheel(viewport, at, far / 120, far if number % 2 else 0)
    assert 1e-6 * whole < stage.view.distance < 1e4 * whole
    assert np.linalg.norm(stage.view.eye) < 1e5 * whole
    end = stage.view
    wheel(viewport, QPointF(50.0, 60.0), far)
    assert stage.view == end, "at the end nothing moves, sideways neither"
    for _ in range(60):
        wheel(viewport, QPointF(400.0, 250.0), -3 * sign)
    assert (stage.view.distance > whole) == (sign > 0), "and there is a way back"
    opened.session.frame_all()
    qtbot.waitUntil(lambda: stage.view.distance == pytest.approx(whole, rel=0.5))
    qtbot.waitUntil(lambda: stage.idle)


def test_double_click_turns_about_what_was_hit(qtbot: QtBot, opened: Window) -> None:
    stage, viewport = opened.session.stage, opened.viewport
    at = QPoint(2 * viewport.width() // 3, viewport.height() // 3)
    # The full picture that the fixture waits for may be of the window before it had its size.
    qtbot.waitUntil(lambda: viewport.navigator.surface_point(QPointF(at)) is not None)
    point = viewport.navigator.surface_point(QPointF(at))
    qtbot.mouseDClick(viewport, LEFT, NONE, at)
    assert stage.view.target == pytest.approx(tuple(point))
    assert stage.view.distance == pytest.approx(DEPTH)
    qtbot.waitUntil(lambda: stage.idle)


def test_keys_move_the_camera(qtbot: QtBot, opened: Window) -> None:
    stage, viewport = opened.session.stage, opened.viewport
    yaw = stage.view.yaw
    qtbot.keyClick(viewport, Qt.Key.Key_Right)
    assert stage.view.yaw == pytest.approx(yaw + 5.0)
    target = stage.view.target
    qtbot.keyClick(viewport, Qt.Key.Key_Up, SHIFT)
    assert stage.view.target != target
    distance = stage.view.distance
    qtbot.keyClick(viewport, Qt.Key.Key_Plus)
    assert stage.view.distance < distance
    qtbot.keyClick(viewport, Qt.Key.Key_7)
    assert stage.view.pitch == 90.0
    qtbot.keyClick(viewport, Qt.Key.Key_1)
    assert (stage.view.yaw, stage.view.pitch) == (0.0, 0.0)
    qtbot.waitUntil(lambda: stage.idle)


def test_tab_hides_all_but_the_picture(qtbot: QtBot, opened: Window) -> None:
    opened.activateWindow()
    opened.viewport.setFocus()
    qtbot.waitUntil(opened.viewport.hasFocus)
    qtbot.keyClick(opened.viewport, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: opened.viewport.size() == opened.size())
    assert not opened.menuBar().isVisible()
    assert opened.viewport.hasFocus()
    qtbot.keyClick(opened.viewport, Qt.Key.Key_Tab)
    assert opened.menuBar().isVisible()
    qtbot.waitUntil(lambda: opened.session.stage.idle)


def test_tab_walks_through_the_start_page(qtbot: QtBot, window: Window) -> None:
    window.activateWindow()
    start = window.viewport.start
    start.open_button.setFocus()
    qtbot.waitUntil(start.open_button.hasFocus)
    qtbot.keyClick(start.open_button, Qt.Key.Key_Tab)
    assert start.sample_button.hasFocus()
    assert window.menuBar().isVisible()


def test_the_stage_and_back(qtbot: QtBot, opened: Window) -> None:
    stage = opened.session.stage
    qtbot.keyClick(opened.viewport, Qt.Key.Key_F11)
    assert opened.isFullScreen()
    assert not opened.menuBar().isVisible()
    assert not opened.viewport.cube.isVisible()
    # On the stage there is nothing but the picture.
    qtbot.waitUntil(lambda: stage.idle and stage.picture.request.highlight is None)
    assert stage.picture.request.marks.floor is None
    assert stage.picture.request.marks.outline is None
    qtbot.keyClick(opened.viewport, Qt.Key.Key_Escape)
    assert not opened.isFullScreen()
    assert opened.menuBar().isVisible()
    qtbot.waitUntil(lambda: stage.idle and stage.picture.request.highlight is not None)
    assert stage.picture.request.marks is stage.marks


def test_pictures_have_the_screens_pixels(qtbot: QtBot, opened: Window, monkeypatch) -> None:
    viewport, stage = opened.viewport, opened.session.stage
    monkeypatch.setattr(viewport, "devicePixelRatioF", lambda: 1.5)
    viewport.tell_size()
    corner = viewport.mapTo(opened, QPoint(0, 0))
    ends = corner + QPoint(viewport.width(), viewport.height())
    edges = [[int(1.5 * p.x() + 0.5), int(1.5 * p.y() + 0.5)] for p in (corner, ends)]
    wanted = (edges[1][0] - edges[0][0], edges[1][1] - edges[0][1])
    assert stage.size == wanted
    qtbot.waitUntil(
        lambda: stage.idle and (stage.picture.image.width(), stage.picture.image.height()) == wanted
    )


def test_a_picture_of_another_size_fills_the_viewport(
    qtbot: QtBot, opened: Window, rasterizer: FakeRasterizer, monkeypatch
) -> None:
    viewport, stage = opened.viewport, opened.session.stage
    monkeypatch.setattr("polyorama_studio.governor.MAX_SIDE", 500)
    viewport.tell_size()
    assert max(stage.size) == 500
    qtbot.waitUntil(lambda: stage.idle and stage.picture.image.width() == 500)
    shown = viewport.grab().toImage()
    color = stage._theme.tokens.color("stage")
    assert shown.pixelColor(shown.width() - 40, shown.height() - 5) == color


def drop(window: Window, paths: list[Path], at: QPointF) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(at, copy, mime, LEFT, NONE)
    QApplication.sendEvent(window.viewport, enter)
    assert enter.isAccepted()
    assert window.viewport.drop_zones.isVisible()
    window.viewport.grab()
    QApplication.sendEvent(window.viewport, QDropEvent(at, copy, mime, LEFT, NONE))
    assert not window.viewport.drop_zones.isVisible()


def test_dropping_opens_and_adds(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    session = window.session
    right = QPointF(window.viewport.width() - 50.0, 200.0)
    drop(window, [tmp_path / "a.ply", tmp_path / "b.ply"], right)
    qtbot.waitUntil(lambda: session.title == "a.ply and 1 more")
    drop(window, [tmp_path / "c.ply"], right)
    qtbot.waitUntil(lambda: len(session.files) == 3)
    session.saving.give_up()
    drop(window, [tmp_path / "d.ply"], QPointF(50.0, 200.0))
    qtbot.waitUntil(lambda: session.title == "d.ply")


def test_errors_are_toasts_with_one_action(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    window.session.open_files([tmp_path / "broken.ply"])
    qtbot.waitUntil(lambda: len(window.viewport.toasts.toasts) == 1)
    toast = window.viewport.toasts.toasts[0]
    assert toast.isVisible()
    assert window.viewport.rect().contains(toast.geometry().center())
    assert window.viewport.start.isVisible(), "the start page stays usable"
    close = toast.findChild(QToolButton)
    qtbot.mouseClick(close, LEFT)
    assert window.viewport.toasts.toasts == []


def test_toasts_stack_and_do_not_repeat(window: Window) -> None:
    stack = window.viewport.toasts
    for number in range(5):
        window.session.notice.emit(Notice("bad", f"Failure {number}"))
    assert [toast.notice.text for toast in stack.toasts] == [
        "Failure 2", "Failure 3", "Failure 4",
    ]  # fmt: skip
    window.session.notice.emit(Notice("bad", "Failure 3"))
    assert [toast.notice.text for toast in stack.toasts] == [
        "Failure 2", "Failure 4", "Failure 3",
    ]  # fmt: skip
    for toast in list(stack.toasts):
        toast.dismiss()
    assert not [toast for toast in window.viewport.findChildren(Toast) if toast.isVisible()]


def test_information_goes_by_itself_and_errors_stay(window: Window) -> None:
    window.session.notice.emit(Notice("info", "Copied"))
    window.session.notice.emit(Notice("bad", "Broken"))
    info, bad = window.viewport.toasts.toasts
    assert info._timer.isActive()
    assert not bad._timer.isActive()


def test_busy_note_appears_only_for_long_work(qtbot: QtBot, window: Window) -> None:
    busy = window.viewport.busy
    window.session.set_busy(Busy("Opening a.ply", 0.5))
    assert not busy.isVisible()
    qtbot.waitUntil(busy.isVisible)
    busy.grab()
    window.session.set_busy(None)
    assert not busy.isVisible()


def test_save_picture_dialog(qtbot: QtBot, opened: Window) -> None:
    dialog = PictureDialog(opened.session, opened)
    assert dialog.size_chosen == opened.session.stage.size
    dialog.preset.setCurrentIndex(3)
    assert dialog.size_chosen == (3840, 2160)
    dialog.width_box.setValue(1234)
    assert dialog.preset.currentIndex() == dialog.preset.count() - 1
    assert dialog.background.value == "document", "themes change no picture"
    dialog.background.set_value("transparent")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog._choose()
    assert chosen.args == [(1234, 2160), "transparent"]
    dialog.deleteLater()


def test_open_dialog_takes_several_files(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    names = [tmp_path / "a.ply", tmp_path / "b.splat"]
    for name in names:
        name.touch()
    window.asking.open_files()
    dialog = window.findChild(QFileDialog)
    kinds = dialog.nameFilters()
    for ending in (".poly", ".ply", ".splat", ".ksplat", ".spz", ".sog", ".glb", ".obj"):
        assert f"*{ending}" in kinds[0]
    assert len(kinds) > 7
    dialog.filesSelected.emit([str(name) for name in names])
    dialog.close()
    qtbot.waitUntil(lambda: len(window.session.files) == 2)


def test_status_strip_says_how_things_stand(qtbot: QtBot, opened: Window) -> None:
    texts = [label.text() for label in opened._status.findChildren(QLabel)]
    assert "thing.splat" in texts
    assert "400 splats" in texts
    assert "Full quality" in texts
    assert "fake" in texts
    assert any(text.endswith("ms a frame") for text in texts)


def test_the_last_python_line_stands_in_the_strip(opened: Window) -> None:
    line = opened._status.findChild(PythonLine)
    assert line.line == opened.session.python[-1]
    assert line.line.startswith("doc = po.edit(")
    assert line.line in line.toolTip()
    assert line.width() > 300
    empty = PythonLine(opened.session, opened)
    empty.resize(line.size())
    image, blank = line.grab().toImage(), empty.grab().toImage()
    assert image != blank
    quiet = opened.session.theme.tokens.color("quiet")
    inked = max(image.pixelColor(x, y).lightness() for x in range(300) for y in range(26))
    assert inked >= quiet.lightness() - 8, "as easy to read as its neighbours"
    empty.deleteLater()
    assert opened.actions_by_id["edit.copy-session"].isEnabled()


def test_theme_is_switched_and_remembered(qtbot: QtBot, opened: Window) -> None:
    keys = opened.actions_by_id["window.theme"].shortcut()
    assert keys == QKeySequence("Ctrl+Shift+L")
    opened.actions_by_id["window.theme"].trigger()
    assert opened.session.preferences.theme == "light"
    assert opened.session.theme.tokens.name == "light"
    qtbot.waitUntil(lambda: opened.viewport.grab().toImage().pixelColor(40, 40).lightness() > 180)
    opened.actions_by_id["window.theme"].trigger()
    qtbot.waitUntil(lambda: opened.session.stage.idle)


def test_context_menu_is_made_of_actions(opened: Window) -> None:
    opened.menus.show_context_menu(QPoint(10, 10))
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert opened.actions_by_id["view.frame"] in menu.actions()
    menu.close()


def test_widgets_can_be_named_by_a_screen_reader(opened: Window) -> None:
    for button in opened.findChildren(QToolButton):
        if button.parent() is opened._rail:
            assert button.accessibleName()
            assert button.toolTip()
    assert opened.viewport.accessibleName()
