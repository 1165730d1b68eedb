"""The console, the jobs, the messages, the history; and pictures of files."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QImage, QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton

from polyorama.core.jobs import Progress
from polyorama.errors import OutputError
from polyorama.verbs.editing import read_calls
from polyorama_studio.coloring import PythonColors
from polyorama_studio.jobs import Handlers
from polyorama_studio.panels.console import ConsolePanel
from polyorama_studio.panels.history import HistoryPanel, step_icon
from polyorama_studio.panels.jobs import JobsPanel
from polyorama_studio.panels.messages import MessagesPanel
from polyorama_studio.thumbnails import Thumbnails
from polyorama_studio.words import duration_text, memory_text
from tests.gui.fakes import icon_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session


@pytest.fixture
def working(qtbot: QtBot, session: Session, tmp_path: Path) -> Session:
    """A session with a capture open."""
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    return session


@pytest.fixture
def console(qtbot: QtBot, working: Session) -> Iterator[ConsolePanel]:
    panel = ConsolePanel(working)
    yield panel
    panel.runner.stop()
    panel.deleteLater()


def run(qtbot: QtBot, console: ConsolePanel, text: str) -> list[str]:
    """Run a script; the lines that it left, its own apart."""
    before = console.output.document().blockCount() + len(text.split("\n"))
    console.prompt.setPlainText(text)
    console.run()
    qtbot.waitUntil(lambda: not console.runner.running, timeout=30_000)
    return console.output.toPlainText().split("\n")[before:]


def test_each_action_leaves_its_line(working: Session, console: ConsolePanel) -> None:
    assert console.output.toPlainText().startswith("import polyorama as po\ndoc = po.edit(")
    working.editing.run("rename", node="thing", name="vase")
    assert console.output.toPlainText().endswith("\ndoc.rename(node='thing', name='vase')")


def test_the_prompt_edits_the_open_document(
    qtbot: QtBot, working: Session, console: ConsolePanel
) -> None:
    assert run(qtbot, console, "doc.rename('thing', 'vase')") == []
    assert working.editing.document.nodes[0].name == "vase"
    assert working.editing.editor.history.commands[-1].title == "Rename to vase"
    assert working.python[-1] == "doc.rename(node='thing', name='vase')"
    assert run(qtbot, console, "doc.undo()") == ["# True"]
    assert working.editing.document.nodes[0].name == "thing"
    lines = run(qtbot, console, "n = len(doc.document.nodes)\nprint(n, 'node', sep=' * ')\nn + 1")
    assert lines == ["# 1 * node", "# 2"]
    assert run(qtbot, console, "n * 10") == ["# 10"], "names stay"
    text = "doc.modifiers('thing').add('grade', exposure=1.0)\nlen(doc.modifiers('thing'))"
    assert run(qtbot, console, text)[-1] == "# 1"
    text = "with doc.gesture('Both'):\n    doc.rename('thing', 'a')\n    doc.choose('a')"
    run(qtbot, console, text)
    assert working.editing.editor.history.commands[-1].title == "Both"


def test_scripts_run_beside_the_window(
    qtbot: QtBot, working: Session, console: ConsolePanel
) -> None:
    console.runner._names["here"] = threading.get_ident()
    lines = run(qtbot, console, "import threading\nthreading.get_ident() == here")
    assert lines == ["# False"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("doc.rename('cup', 'vase')", "#! The document has no node called 'cup'."),
        ("x = = 1", "#! Line 1 is no Python: invalid syntax."),
        ("1\nnothing", "#! NameError in line 2: name 'nothing' is not defined."),
        ("raise SystemExit", "#! A script cannot end the program; close the window."),
        ("doc.paint()", "#! AttributeError in line 1: an Editor has no 'paint'."),
    ],
)
def test_failures_are_sentences(
    qtbot: QtBot, working: Session, console: ConsolePanel, text: str, wanted: str
) -> None:
    before = working.editing.document
    assert run(qtbot, console, text)[0] == wanted
    assert working.editing.document is before


def test_a_script_without_end_is_stopped(qtbot: QtBot, console: ConsolePanel) -> None:
    console.prompt.setPlainText("while True: pass")
    console.run()
    assert console.runner.running
    console.prompt.setPlainText("1")
    console.run()
    assert console.prompt.toPlainText() == "1", "one after the other"
    console.runner.stop()
    qtbot.waitUntil(lambda: not console.runner.running)
    assert console.output.toPlainText().endswith("#! Stopped.")


def test_whatever_a_script_raises_or_prints_the_console_goes_on(
    qtbot: QtBot, console: ConsolePanel
) -> None:
    for script in (
        "raise BaseException('x')",
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd()",
        "for i in range(30000): print(i)",
    ):
        with qtbot.waitSignal(console.runner.ended, timeout=20000):
            console.runner.run(script)
        assert not console.runner.running
    qtbot.waitUntil(lambda: "29999" in console.output.toPlainText())
    assert console.output.blockCount() <= 5001


def test_arrows_bring_back_what_was_typed(qtbot: QtBot, console: ConsolePanel) -> None:
    for text in ("1", "2"):
        run(qtbot, console, text)
    console.prompt.setPlainText("draft")
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(console.prompt, key)
        seen.append(console.prompt.toPlainText())
    assert seen == ["2", "1", "1", "2", "draft"]
    height = console.prompt.height()
    qtbot.keyClick(console.prompt, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert console.prompt.height() > height
    assert not console.runner.running


def test_the_transcript_is_a_script(qtbot: QtBot, console: ConsolePanel) -> None:
    run(qtbot, console, "print('a\\nb')")
    console._copy()
    text = QGuiApplication.clipboard().text()
    compile(text, "transcript", "exec")
    assert "# a\n# b" in text


def test_operations_are_saved_as_a_file(
    qtbot: QtBot, working: Session, console: ConsolePanel, tmp_path: Path
) -> None:
    working.editing.run("rename", node="thing", name="vase")
    console.save_ops(str(tmp_path / "ops.json"))
    assert [call.name for call in read_calls(tmp_path / "ops.json")] == ["rename"]


def test_python_is_coloured(session: Session, console: ConsolePanel) -> None:
    document = console.output.document().clone()
    document.setPlainText('x = 1 # "no text"\n"""one\ntwo""" + f(a=2)')
    colors = PythonColors(document, session.theme)
    colors.rehighlight()
    blocks = [document.findBlockByNumber(number) for number in range(3)]
    spans = [[(s.start, s.length) for s in b.layout().formats()] for b in blocks]
    assert spans[0] == [(4, 1), (6, 11)]
    assert spans[1] == [(0, 6)], "a text goes on over lines"
    assert spans[2][0] == (0, 6)
    assert (9, 1) in spans[2]


# Jobs


def test_jobs_are_listed_with_progress_and_cancelled(qtbot: QtBot, session: Session) -> None:
    panel, step = JobsPanel(session), threading.Event()
    ended: list[str] = []

    def work() -> Iterator[Progress]:
        for number in range(1000):
            step.wait(0.01)
            yield Progress(number, 1000, f"Frame {number}")

    nobody = ended.append
    handlers = Handlers(nobody, nobody, lambda p: None, lambda: ended.append("cancelled"))
    job = session.start_job(work, handlers, "Filming")
    qtbot.waitUntil(lambda: job.can_cancel and bool(job.share))
    job.started -= 10.0
    panel.refresh()
    assert [row.job for row in panel.rows] == [job]
    assert "left" in panel.rows[0]._time.text()
    panel.grab()
    panel.rows[0]._cancel.click()
    qtbot.waitUntil(lambda: job.state == "cancelled")
    assert ended == ["cancelled"]
    panel.refresh()
    assert len(panel.rows) == 1, "what ended stays for a while"
    session.jobs.forget_ended()
    panel.refresh()
    assert panel.rows == []
    panel.deleteLater()


def test_short_and_housekeeping_jobs_leave_no_trace(qtbot: QtBot, session: Session) -> None:
    got: list[object] = []
    for title in ("Short", "housekeeping"):
        session.start_job(lambda: 1, Handlers(got.append, got.append, got.append), title)

    def fail() -> None:
        raise OutputError("Full.")

    session.start_job(fail, Handlers(got.append, got.append, got.append), "Failing")
    session.start_job(fail, Handlers(got.append, got.append, got.append), "failing quietly")
    qtbot.waitUntil(lambda: len(got) == 4)
    assert [(job.title, job.state, job.error) for job in session.jobs.entries] == [
        ("Failing", "failed", "Full.")
    ]


def test_times_and_sizes_in_words() -> None:
    assert [duration_text(s) for s in (0.2, 59.0, 60.0, 3599.0, 3661.0)] == [
        "0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 1 min",
    ]  # fmt: skip
    assert [memory_text(b) for b in (0, 999, 12_300, 3_400_000, 250_000_000, 2_000_000_000)] == [
        "0 B", "999 B", "12 kB", "3.4 MB", "250 MB", "2.0 GB",
    ]  # fmt: skip


# Messages and history


def test_messages_are_kept_with_their_time(session: Session) -> None:
    session.tell("bad", "The first one")
    panel = MessagesPanel(session)
    session.tell("info", "The second one")
    assert [panel.list.item(row).text()[10:] for row in range(2)] == [
        "The first one", "The second one",
    ]  # fmt: skip
    panel.findChildren(QPushButton)[0].click()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert [line[21:] for line in lines] == ["The first one", "The second one"]
    panel.deleteLater()


def test_a_click_in_the_history_goes_there(qtbot: QtBot, working: Session) -> None:
    panel = HistoryPanel(working)
    for name in ("a", "b", "c"):
        working.editing.run("rename", node=working.editing.document.nodes[0].id, name=name)
    panel.refresh()
    titles = [panel.steps.data(panel.steps.index(row)) for row in range(panel.steps.rowCount())]
    assert titles == ["Opened", "Rename to a", "Rename to b", "Rename to c"]
    assert panel.words.text().startswith("3 steps, 0 B of 512 MiB")
    panel._go(panel.steps.index(1))
    assert working.editing.document.nodes[0].name == "a"
    assert working.python[-2:] == ["doc.undo()", "doc.undo()"]
    panel.resize(200, 200)
    panel.grab()
    panel._go(panel.steps.index(3))
    assert working.editing.document.nodes[0].name == "c"
    panel.deleteLater()


@pytest.mark.parametrize("name", ["select", "set", "add_modifier", "whatever", "key", "add_files"])
def test_steps_have_icons(name: str) -> None:
    assert step_icon(name) in icon_names()


# Pictures of files


def test_pictures_of_captures_are_what_was_seen(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    thumbnails = Thumbnails(session, folder)
    path = tmp_path / "a.splat"
    path.write_bytes(b"x" * 32)
    assert thumbnails.of(path) is None
    session.stage.set_size(64, 48)
    session.open_files([path])
    qtbot.waitUntil(lambda: len(list(folder.glob("[!.]*.png"))) == 1)
    QApplication.processEvents()
    with qtbot.waitSignal(thumbnails.came):
        thumbnails._pictures.pop(path, None)
        thumbnails.of(path)
    picture = thumbnails.of(path)
    assert picture is not None
    assert picture.width() / picture.height() == pytest.approx(64 / 48, abs=0.01)
    path.write_bytes(b"y" * 64)
    thumbnails._pictures.clear()
    assert thumbnails.of(path) is None, "another file of that name has another picture"


def test_pictures_of_projects_come_from_them(qtbot: QtBot, session: Session) -> None:
    from polyorama_studio import calls

    thumbnails = Thumbnails(session)
    for path in (calls.sample_path(), *(path for _, path in calls.example_projects())):
        with qtbot.waitSignal(thumbnails.came):
            thumbnails.of(path)
        assert not QImage(thumbnails.of(path).toImage()).isNull()


@pytest.mark.parametrize(
    ("key", "modifiers", "text", "own"),
    [
        (Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier, "g", True),
        (Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True),
        (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, "", True),
        (Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier, "", False),
        (Qt.Key.Key_F11, Qt.KeyboardModifier.NoModifier, "", False),
    ],
)
def test_the_prompt_takes_what_it_types_and_no_other_shortcut(
    console: ConsolePanel, key: Qt.Key, modifiers: Qt.KeyboardModifier, text: str, own: bool
) -> None:
    console.prompt.setPlainText("doc")
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, text)
    event.ignore()
    QApplication.sendEvent(console.prompt, event)
    assert event.isAccepted() == own
