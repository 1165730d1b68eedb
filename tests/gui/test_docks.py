"""Docks: titles with tabs, folding, floating, layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QTabBar

from polyorama_studio.dock_titles import DockTitle
from polyorama_studio.docks import DOCKS, EdgeStrip
from polyorama_studio.theme import Metrics
from tests.gui.fakes import icon_names

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama_studio.window import Window

LEFT = Qt.MouseButton.LeftButton


def settled(qtbot: QtBot, window: Window) -> None:
    """Wait until titles have followed."""
    with qtbot.waitSignal(window.docks.arranged):
        window.docks._arrange()


def shown(window: Window) -> set[str]:
    return {dock_id for dock_id, dock in window.docks.docks.items() if dock.open}


def test_the_table_is_well_formed() -> None:
    ids = [dock.id for dock in DOCKS]
    assert len(set(ids)) == len(ids)
    for dock in DOCKS:
        assert dock.icon in icon_names()
        assert dock.area in ("left", "right", "bottom")
        assert dock.title[0].isupper()


@pytest.mark.parametrize("dock_id", [dock.id for dock in DOCKS])
def test_every_panel_is_made_and_toggled(qtbot: QtBot, opened: Window, dock_id: str) -> None:
    docks = opened.docks
    if docks.is_shown(dock_id):
        docks.toggle(dock_id)
        assert not docks.docks[dock_id].open
    docks.toggle(dock_id)
    assert docks.docks[dock_id].open
    assert docks.panel(dock_id) is docks.docks[dock_id].widget()
    settled(qtbot, opened)
    assert opened.actions_by_id[f"panel.{dock_id}"].isChecked()
    docks.panel(dock_id).grab()


def test_panels_of_one_place_are_tabs_of_the_title(qtbot: QtBot, window: Window) -> None:
    window.docks.raise_dock("history")
    settled(qtbot, window)
    dock = window.docks.docks["history"]
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    assert "history" in [tab.id for tab in title._tabs]
    assert len(title._tabs) > 1
    assert all(bar.height() <= 1 for bar in window.docks.findChildren(QTabBar)), "no tabs of Qt's"
    other = next(tab for tab in title._tabs if tab.id != "history")
    qtbot.mouseClick(title, LEFT, pos=other.area.center().toPoint())
    settled(qtbot, window)
    assert window.docks.is_shown(other.id)
    assert not window.docks.is_shown("history")


def test_where_words_do_not_fit_the_others_are_icons(qtbot: QtBot, window: Window) -> None:
    for dock_id in ("history", "jobs"):
        window.docks.raise_dock(dock_id)
    settled(qtbot, window)
    title = window.docks.docks["jobs"].title
    title.resize(3 * title.width() // 4, title.height())
    widths = {tab.id: tab.area.width() for tab in title._tabs}
    assert widths["jobs"] > Metrics.icon
    assert {width for dock_id, width in widths.items() if dock_id != "jobs"} == {Metrics.icon}
    title.grab()


def test_an_area_folds_to_icons_and_back(qtbot: QtBot, window: Window) -> None:
    docks = window.docks
    before = shown(window)
    in_front = next(d.id for d in DOCKS if d.area == "right" and docks.is_shown(d.id))
    qtbot.mouseClick(docks.docks[in_front].title._fold, LEFT)
    settled(qtbot, window)
    strip = next(s for s in window.findChildren(EdgeStrip) if s._area == "right")
    assert strip.isVisible()
    assert not any(docks.docks[d.id].open for d in DOCKS if d.area == "right")
    names = {button.objectName() for button in strip._buttons}
    assert names == {i for i in before if docks.area(i) == "right"}
    button = next(b for b in strip._buttons if b.objectName() == in_front)
    qtbot.mouseClick(button, LEFT)
    settled(qtbot, window)
    assert shown(window) == before
    assert docks.is_shown(in_front)
    assert not strip.isVisible()


def test_a_dock_floats_and_is_put_back(qtbot: QtBot, window: Window) -> None:
    dock = window.docks.docks["outliner"]
    qtbot.mouseClick(dock.title._float, LEFT)
    settled(qtbot, window)
    assert dock.isFloating()
    assert dock.title._float.toolTip() == "Put back"
    qtbot.mouseClick(dock.title._float, LEFT)
    settled(qtbot, window)
    assert not dock.isFloating()


def test_the_menu_of_a_title_lists_all_panels(qtbot: QtBot, window: Window) -> None:
    window.docks._show_menu("outliner", QPoint(10, 10))
    menu = QApplication.activePopupWidget()
    texts = [action.text() for action in menu.actions()]
    for dock in DOCKS:
        assert dock.title in texts
    menu.actions()[texts.index("Close")].trigger()
    menu.close()
    assert not window.docks.docks["outliner"].open


def test_layouts_are_saved_by_name_chosen_and_reset(qtbot: QtBot, window: Window) -> None:
    first = shown(window)
    window.docks.toggle("console")
    window.docks.fold("left")
    settled(qtbot, window)
    window.save_layout("écriture / wide")
    preferences = window.session.preferences
    assert preferences.layouts == ["écriture / wide"]
    window.docks.reset()
    settled(qtbot, window)
    assert shown(window) == first
    assert window.docks.folded == {}
    window.choose_layout("écriture / wide")
    settled(qtbot, window)
    assert window.docks.docks["console"].open
    assert set(window.docks.folded) == {"left"}
    assert [a.text() for a in window.menus.layouts.actions()] == ["écriture / wide"]
    preferences.forget_layout("écriture / wide")
    assert preferences.layouts == []
    assert not window.menus.layouts.isEnabled()


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"nonsense", b'{"state": 1, "folded": 2}', b'{"state":"AAAA","folded":{}}']
)
def test_a_damaged_layout_changes_nothing(window: Window, data: bytes) -> None:
    before = shown(window)
    assert not window.docks.restore_layout(data)
    assert shown(window) == before


def test_hiding_all_keeps_what_was_folded(qtbot: QtBot, opened: Window) -> None:
    opened.docks.fold("left")
    settled(qtbot, opened)
    before = shown(opened)
    opened.toggle_panels()
    settled(qtbot, opened)
    assert shown(opened) == set()
    assert not any(strip.isVisible() for strip in opened.findChildren(EdgeStrip))
    opened.toggle_panels()
    settled(qtbot, opened)
    assert shown(opened) == before
    assert set(opened.docks.folded) == {"left"}
    qtbot.waitUntil(lambda: opened.session.stage.idle)


def test_a_low_window_keeps_every_action_of_the_rail(qtbot: QtBot, window: Window) -> None:
    window.resize(900, 420)
    qtbot.waitUntil(window._rail.more.isVisible)
    window._rail._show_more()
    menu = QApplication.activePopupWidget()
    hidden = [w for w in window._rail._head if w.isHidden() and w in window._rail._actions]
    assert [window._rail._actions[w] for w in hidden] == menu.actions()
    assert hidden
    menu.close()
