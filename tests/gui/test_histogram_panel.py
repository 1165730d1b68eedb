"""The histogram panel: counts, searches, ranges that select."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication

from polyorama.scene.histogram import Histogram, Scatter
from polyorama.scene.rules import parse_rule
from polyorama_studio.panels.band import mode_of
from polyorama_studio.panels.histogram import HistogramPanel
from polyorama_studio.plots import Scale, number_text, ticks
from tests.gui import pointing
from tests.gui.fakes import a_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def panel(qtbot: QtBot, session: Session, tmp_path: Path) -> Iterator[HistogramPanel]:
    panel = HistogramPanel(session)
    panel.resize(250, 420)
    panel.show()
    qtbot.waitExposed(panel)
    document = a_document([tmp_path / "thing.ply"])
    session.stage.set_document(document, None)
    session.editing.open(document)
    yield panel
    counted(qtbot, panel)
    panel.close()
    panel.deleteLater()


def counted(qtbot: QtBot, panel: HistogramPanel) -> None:
    qtbot.waitUntil(lambda: not panel._newest.busy, timeout=20_000)


def count_by(qtbot: QtBot, panel: HistogramPanel, across: str, up: str = "") -> None:
    panel.measure.choose(across)
    panel.against.choose(up)
    panel._on_measure()
    counted(qtbot, panel)


def selected(panel: HistogramPanel) -> int:
    document = panel._session.editing.document
    assert document is not None
    return sum(map(len, document.selection.values()))


def drag(panel: HistogramPanel, start: tuple[float, float], end: tuple[float, float], keys) -> None:
    box = panel.plot.box
    a, b = (
        QPointF(box.left() + x * box.width(), box.bottom() - y * box.height())
        for x, y in (start, end)
    )
    pointing.drag(panel.plot, [a, (a + b) / 2, b], keys)


def test_it_counts_what_is_open(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    found = panel.plot.counted
    assert isinstance(found, Histogram)
    assert found.total == 400
    assert "400 splats" in panel.counts.text()
    count_by(qtbot, panel, "max(scale) * 2")
    assert panel.plot.counted.counts.sum() == 400, "any rule that is a number will do"


def test_a_range_selects_and_adds_and_removes(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    drag(panel, (0.5, 0.5), (0.75, 0.5), NONE)
    qtbot.waitUntil(lambda: selected(panel) > 0)
    first = selected(panel)
    document = panel._session.editing.document
    mask = parse_rule(panel.query.text()).mask(document.nodes[0].splats)
    assert first == mask.sum() == panel.plot.counted.counts[128:192].sum()
    counted(qtbot, panel)
    assert panel.plot.counted.selected.sum() == first
    assert f"{first} selected" in panel.counts.text()
    drag(panel, (0.1, 0.5), (0.25, 0.5), SHIFT)
    qtbot.waitUntil(lambda: selected(panel) > first)
    more = selected(panel)
    drag(panel, (0.0, 0.5), (1.0, 0.5), SHIFT | CTRL)
    qtbot.waitUntil(lambda: not panel._session.jobs.active)
    assert selected(panel) == more
    drag(panel, (0.0, 0.5), (0.4, 0.5), CTRL)
    qtbot.waitUntil(lambda: selected(panel) < more)
    assert selected(panel) == first
    calls = panel._session.editing.editor.calls
    assert [call.arguments["mode"] for call in calls] == ["set", "add", "intersect", "remove"]
    assert {call.name for call in calls} == {"select"}


def test_a_typed_rule_selects(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    drag(panel, (0.5, 0.5), (0.75, 0.5), NONE)
    qtbot.waitUntil(lambda: selected(panel) > 0)
    panel.query.setFocus()
    panel.query.selectAll()
    qtbot.keyClicks(panel.query, "index < 7")
    qtbot.keyClick(panel.query, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: selected(panel) == 7)
    assert panel.plot.band is None
    assert panel.query.text() == "index < 7"
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_G, NONE, "g")
    event.ignore()
    QApplication.sendEvent(panel.query, event)
    assert event.isAccepted(), "letters are no shortcuts while a rule is typed"


def test_another_selection_clears_the_range(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    drag(panel, (0.5, 0.5), (0.75, 0.5), NONE)
    qtbot.waitUntil(lambda: selected(panel) > 0)
    assert panel.plot.band is not None
    assert panel.query.text()
    panel._session.editing.run("select_all")
    assert panel.plot.band is None
    assert panel.query.text() == ""


def test_edges_of_a_range_can_be_dragged(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "y")
    drag(panel, (0.25, 0.5), (0.5, 0.5), NONE)
    assert panel.plot.band == pytest.approx((0.25, 0.5, 0.0, 1.0), abs=0.01)
    drag(panel, (0.5, 0.5), (0.75, 0.5), NONE)
    assert panel.plot.band == pytest.approx((0.25, 0.75, 0.0, 1.0), abs=0.01)
    drag(panel, (0.5, 0.5), (0.6, 0.5), NONE)
    assert panel.plot.band == pytest.approx((0.35, 0.85, 0.0, 1.0), abs=0.02)
    drag(panel, (0.95, 0.5), (0.95, 0.5), NONE)
    assert panel.plot.band is None, "a click beside it forgets it"
    assert panel.query.text() == ""
    qtbot.waitUntil(lambda: not panel._session.jobs.active)


def test_the_keyboard_does_as_much(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "z")
    plot = panel.plot
    for _ in range(3):
        qtbot.keyClick(plot, Qt.Key.Key_Right)
    left, right, _, _ = plot.band
    qtbot.keyClick(plot, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert plot.band[:2] == pytest.approx((left, right + 1 / 64))
    qtbot.keyClick(plot, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: selected(panel) > 0)
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert plot.band is None


def test_two_numbers_make_a_scatter(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x", "y")
    found = panel.plot.counted
    assert isinstance(found, Scatter)
    assert found.counts.sum() <= 400
    drag(panel, (0.5, 0.0), (1.0, 0.5), NONE)
    rule = panel.query.text()
    assert rule.startswith("x in ")
    assert " and y in " in rule
    qtbot.waitUntil(lambda: selected(panel) > 0)
    means = panel._session.editing.document.nodes[0].splats.means
    assert selected(panel) == pytest.approx(((means[:, 0] > 0) & (means[:, 1] < 0)).sum(), abs=12)
    grabbed = panel.plot.grab().toImage()
    accent = panel._session.theme.tokens.color("accent")
    colors = {grabbed.pixelColor(x, y).rgb() for x in range(250) for y in range(200)}
    assert accent.rgb() in colors


def test_what_is_seen_follows_the_view(qtbot: QtBot, panel: HistogramPanel) -> None:
    stage = panel._session.stage
    stage.set_view(stage.view.looking("front"), moving=False)
    count_by(qtbot, panel, "view.depth")
    before = panel.plot.counted.axis
    stage.zoom(2.0)
    counted(qtbot, panel)
    qtbot.waitUntil(lambda: panel.plot.counted.axis.low > before.low)
    drag(panel, (0.0, 0.5), (0.5, 0.5), NONE)
    qtbot.waitUntil(lambda: selected(panel) > 0)
    call = panel._session.editing.editor.calls[-1]
    assert call.name == "select_seen"
    assert call.arguments["camera"] is not None


def test_mistakes_are_told_in_the_plot(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "smell")
    assert panel.plot.counted is None
    assert "no 'smell'" in panel.plot.words
    panel.plot.grab()
    panel._session.editing.open(None)
    assert "Open a capture" in panel.plot.words


def test_switches_change_axes(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "abs(x)")
    assert not panel.plot.counted.axis.log
    panel.log_across.setChecked(True)
    counted(qtbot, panel)
    assert panel.plot.counted.axis.log
    assert panel.plot.log_counts
    panel.log_up.setChecked(False)
    assert not panel.plot.log_counts
    before = panel.plot.counted
    panel.tails.setChecked(True)
    counted(qtbot, panel)
    assert panel.plot.counted.axis.low <= before.axis.low
    panel._session.editing.run("choose", nodes=panel._session.editing.document.nodes[0].id)
    assert panel.chosen_only.isEnabled()
    panel.chosen_only.setChecked(True)
    counted(qtbot, panel)
    assert panel._counted.nodes == (panel._session.editing.document.nodes[0].id,)


def test_the_pointer_reads_values(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    box = panel.plot.box
    pointing.hover(panel.plot, box.center())
    counts = panel.plot.counted.counts
    words = panel.plot.words_at(box.center())
    assert " to " in words
    at = int(np.flatnonzero(counts)[0])
    there = QPointF(box.left() + (at + 0.5) / 256 * box.width(), box.center().y())
    assert "0 splats" not in panel.plot.words_at(there)
    panel.plot.grab()
    panel.copy.click()
    panel.plot.set_band((0.2, 0.4, 0.0, 1.0))
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == panel.query.text() != ""


def test_hidden_panels_do_not_count(qtbot: QtBot, panel: HistogramPanel) -> None:
    count_by(qtbot, panel, "x")
    panel.hide()
    before = panel.plot.counted
    panel._session.editing.run("select_all")
    assert not panel._newest.busy
    assert panel.plot.counted is before
    panel.show()
    qtbot.waitUntil(lambda: panel.plot.counted is not before)
    assert panel.plot.counted.selected.sum() == 400


def test_modes_are_those_of_the_tools() -> None:
    assert [mode_of(keys) for keys in (NONE, SHIFT, CTRL, SHIFT | CTRL)] == [
        "set", "add", "remove", "intersect",
    ]  # fmt: skip


def test_ticks_are_round_and_few() -> None:
    assert ticks(Scale(0.0, 1.0), 5) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(Scale(0.001, 10.0, True), 10) == pytest.approx([0.001, 0.01, 0.1, 1.0, 10.0])
    assert ticks(Scale(1.2, 4.0, True), 6) == [2.0]
    assert number_text(0.0) == "0"
    assert number_text(1234.5) == "1,234"
    assert number_text(0.00001234) == "1.2e-5"
    assert number_text(3e7) == "3e7"
