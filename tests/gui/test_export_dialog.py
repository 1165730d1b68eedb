"""The export dialog: choices, command line, measurements, and the file itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from polyorama.io.formats import read_splats
from polyorama.verbs.export import Level
from polyorama.verbs.quality import Measurement
from polyorama_studio.dialogs.export import ExportDialog, export
from polyorama_studio.dialogs.quality_plot import QualityPlot
from polyorama_studio.exporting import ENDINGS, ExportSettings, with_ending
from polyorama_studio.session import Notice
from polyorama_studio.viewport.toasts import Toast
from tests.gui import pointing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

FOUND = (
    Measurement(Level(".sog", 0), 40_000, 400, 45.0, 0.995, 0.1),
    Measurement(Level(".spz", 0), 50_000, 400, 44.0, 0.995, 0.1),
    Measurement(Level(".spz", 0, 25.0), 20_000, 100, 41.0, 0.99, 0.1),
    Measurement(Level(".ply", 0), 900_000, 400, float("inf"), 1.0, 0.1),
)


@pytest.fixture
def opened(qtbot: QtBot, session: Session, tmp_path: Path) -> Session:
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    session.preferences.folder = str(tmp_path)
    session.stage.set_size(120, 90)
    return session


@pytest.fixture
def dialog(qtbot: QtBot, opened: Session) -> Iterator[ExportDialog]:
    dialog = ExportDialog(opened)
    dialog.show()
    qtbot.waitExposed(dialog)
    yield dialog
    dialog.reject()
    qtbot.waitUntil(lambda: not opened.jobs.active, timeout=20_000)
    dialog.deleteLater()


@pytest.mark.parametrize(("action", "seconds"), [(None, 5), (print, 8)])
def test_what_was_exported_can_be_read_and_pressed(
    qtbot: QtBot, session: Session, action: object, seconds: int
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    toast = Toast(session, Notice("good", "Exported thing.sog", "Show in folder", action), parent)
    assert toast._timer.interval() >= 1000 * seconds
    toast.dismiss()


def test_everything_is_measured_as_it_comes(qtbot: QtBot, dialog: ExportDialog) -> None:
    assert dialog.quality.running
    qtbot.waitUntil(lambda: len(dialog.quality.found) > 0, timeout=30_000)
    qtbot.waitUntil(lambda: not dialog.quality.running, timeout=60_000)
    endings = {measured.level.ending for measured in dialog.quality.found}
    assert endings == {".sog", ".spz", ".compressed.ply", ".ply", ".splat"}
    assert dialog.quality.table.topLevelItemCount() == len(dialog.quality.found)
    assert dialog.measure.text() == "Measure"
    assert "against the original" in dialog.expected.text()
    dialog.quality.plot.grab()


def test_measuring_can_be_stopped(qtbot: QtBot, dialog: ExportDialog) -> None:
    assert dialog.measure.text() == "Stop measuring"
    dialog.measure.click()
    assert not dialog.quality.running
    assert dialog.measure.text() == "Measure"
    qtbot.waitUntil(lambda: not dialog._session.jobs.active, timeout=20_000)
    assert dialog.quality.found == (), "what comes late is not of interest"


def test_a_mark_or_a_row_chooses(qtbot: QtBot, dialog: ExportDialog) -> None:
    quality = dialog.quality
    quality.stop()
    quality.found = FOUND
    quality.say("")
    assert dialog.expected.text().startswith("About 40 kB; 45.0 dB")
    plot = quality.plot
    pointing.hover(plot, plot.place(FOUND[2]))
    plot.grab()
    pointing.click(plot, plot.place(FOUND[2]))
    assert dialog.settings.path.suffix == ".spz"
    assert dialog.settings.share == 25.0
    assert dialog.command.text().endswith("--decimate 25")
    rows = [quality.table.topLevelItem(k) for k in range(quality.table.topLevelItemCount())]
    assert [row.text(1) for row in rows] == ["20 kB", "40 kB", "50 kB", "900 kB"]
    assert [row for row in rows if "recommended" in row.text(0)] == [rows[1]]
    quality.table.itemClicked.emit(rows[3], 0)
    assert dialog.settings == ExportSettings(dialog.settings.path, "visible")
    assert dialog.settings.path.name == "thing.ply"
    pointing.hover(plot, QPointF(1.0, 1.0))


def test_the_name_and_the_format_follow_each_other(dialog: ExportDialog) -> None:
    assert dialog.settings.path.name == "thing.sog"
    dialog.format.set_value(".compressed.ply")
    dialog.format.chosen.emit(".compressed.ply")
    assert dialog.settings.path.name == "thing.compressed.ply"
    dialog.path.setText(str(dialog.settings.path.with_name("other.spz")))
    assert dialog.format.value == ".spz"
    dialog.path.setText("")
    assert not dialog.write.isEnabled()


def test_the_command_line_says_the_same(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.share.set_value(50.0)
    dialog.share.changed.emit(50.0)
    text = dialog.command.text()
    assert text.startswith("polyorama export ")
    assert text.endswith(f"thing.ply -o {tmp_path / 'thing.sog'} --decimate 50")
    dialog.command.copy.click()
    assert QGuiApplication.clipboard().text() == text


def test_the_file_is_written(qtbot: QtBot, opened: Session, tmp_path: Path) -> None:
    notices = []
    opened.notice.connect(notices.append)
    opened.editing.run("select", query="x > 0")
    opened.editing.run("delete")
    dialog = ExportDialog(opened)
    dialog.format.set_value(".ply")
    dialog.format.chosen.emit(".ply")
    dialog.path.setText(str(tmp_path / "out.ply"))
    dialog.write.click()
    qtbot.waitUntil(lambda: bool(notices), timeout=30_000)
    assert notices[0].text.startswith("Exported out.ply")
    assert notices[0].action_title == "Show in folder"
    cloud = read_splats(tmp_path / "out.ply")
    assert (cloud.means[:, 0] <= 0).all()
    assert "doc.delete()" in cloud.comments
    assert opened.python[-1] == f"po.export(doc.document, {str(tmp_path / 'out.ply')!r})"
    qtbot.waitUntil(lambda: not opened.jobs.active, timeout=20_000)
    dialog.deleteLater()


def test_what_cannot_be_written_is_told(qtbot: QtBot, opened: Session, tmp_path: Path) -> None:
    notices = []
    opened.notice.connect(notices.append)
    document = opened.editing.document
    export(opened, document, ExportSettings(tmp_path / "missing" / "out.spz"))
    qtbot.waitUntil(lambda: bool(notices), timeout=30_000)
    assert notices[0].kind == "bad"
    assert "does not exist" in notices[0].text
    assert list(tmp_path.glob("**/*.spz")) == []


def test_the_selection_and_the_chosen_node_are_offered(qtbot: QtBot, opened: Session) -> None:
    opened.editing.run("select", query="x > 0.5")
    opened.editing.run("choose", nodes=opened.editing.document.nodes[0].id)
    dialog = ExportDialog(opened)
    dialog.quality.stop()
    titles = [dialog.what.itemText(k) for k in range(dialog.what.count())]
    count = len(next(iter(opened.editing.document.selection.values())))
    assert titles == ["All that is visible", f"The selection, {count} splats", "Only thing"]
    dialog.what.set_value("selection")
    dialog.what.chosen.emit("selection")
    assert "--what selection" in dialog.command.text()
    dialog.what.set_value(opened.editing.document.nodes[0].id)
    assert dialog.settings.what == "thing"
    dialog.reject()
    qtbot.waitUntil(lambda: not opened.jobs.active, timeout=20_000)
    dialog.deleteLater()


def test_endings_are_exchanged() -> None:
    assert with_ending(Path("a.compressed.ply"), ".spz", ENDINGS) == Path("a.spz")
    assert with_ending(Path("a.b"), ".spz", ENDINGS) == Path("a.b.spz")
    assert with_ending(Path(".ply"), ".sog", ENDINGS) == Path(".ply.sog")
    settings = ExportSettings(Path("a b.sog"), "two words", 1, 12.5, 2.0)
    assert settings.command([Path("x.poly")]) == (
        "polyorama export x.poly -o 'a b.sog' --what 'two words' --sh-degree 1 --decimate 12.5 "
        "--time 2"
    )
    assert settings.python() == (
        "po.export(doc.document, 'a b.sog', 'two words', degree=1, share=12.5, time=2)"
    )


def test_an_empty_plot_says_why(qtbot: QtBot, session: Session) -> None:
    plot = QualityPlot(session.theme)
    plot.resize(400, 300)
    plot.show_measured((), None, None, "Measuring")
    empty = plot.grab().toImage()
    plot.show_measured(FOUND, FOUND[0], FOUND[1])
    assert plot.grab().toImage() != empty
    plot.deleteLater()


def test_another_format_may_be_chosen_before_there_is_a_file(
    qtbot: QtBot, dialog: ExportDialog
) -> None:
    assert with_ending(Path(), ".ply", ENDINGS) == Path()
    dialog.path.clear()
    with qtbot.captureExceptions() as errors:
        dialog.format.set_value(".spz")
        dialog.format.chosen.emit(".spz")
    assert errors == []
    assert not dialog.write.isEnabled()
