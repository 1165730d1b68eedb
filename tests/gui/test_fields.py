"""Fields: what they show, what a person does with them, and what becomes of the document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from polyorama.core.params import Parameter
from polyorama.scene.document import Document
from polyorama_studio import fields
from polyorama_studio.fields.color import ColorField, color_text, read_color
from polyorama_studio.fields.expression import evaluate
from polyorama_studio.fields.link import EMPTY, HALF, KEYED
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.rule import RuleField
from polyorama_studio.fields.simple import ChoiceField, SwitchField, TextField
from polyorama_studio.fields.vector import VectorField
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1/3", "", 1 / 3),
        ("+=0.1", "", 2.1),
        ("-=0.5", "", 1.5),
        ("*2", "", 4.0),
        ("/4", "", 0.5),
        ("2*(3+1)", "", 8.0),
        ("2**3", "", 8.0),
        ("-2**2", "", -4.0),
        ("1,5", "", 1.5),
        ("12 cm", "", 0.12),
        ("250 ms", "s", 0.25),
        ("2 min", "s", 120.0),
        ("90°", "°", 90.0),
        ("pi/2 rad", "°", 90.0),
        ("0.5 turns", "°", 180.0),
        ("50%", "", 0.5),
        ("50%", "%", 50.0),
        ("+=10%", "", 2.1),
        ("3 stops", "stops", 3.0),
        ("1e3", "", 1000.0),
        ("\N{MINUS SIGN}4", "", -4.0),
    ],
)
def test_numbers_are_calculated(text: str, unit: str, value: float) -> None:
    assert evaluate(text, 2.0, unit) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1/0", "(1", "1)", "2 3", "__import__('os')", "9**9**9", "(-8)**0.5", "1e999",
     "(" * 150 + "1" + ")" * 49, "-" * 150 + "1", "1" * 300, "2pi", "+=", "nan", "inf"],
)  # fmt: skip
def test_what_is_no_number_is_none(text: str) -> None:
    assert evaluate(text, 2.0) is None


def drag(qtbot: QtBot, widget: QWidget, pixels: int, modifiers=NONE) -> None:
    start = widget.rect().center()
    qtbot.mousePress(widget, LEFT, modifiers, start)
    steps = [*range(5, abs(pixels) + 5, 5), abs(pixels) + 5]
    for step in steps:
        sign = 1 if pixels > 0 else -1
        move(widget, start + QPoint(sign * step, 0), modifiers)
    qtbot.mouseRelease(widget, LEFT, modifiers, start + QPoint(pixels, 0))


def move(widget: QWidget, to: QPoint, modifiers) -> None:
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(to), QPointF(widget.mapToGlobal(to)),
        Qt.MouseButton.NoButton, LEFT, modifiers,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


@pytest.fixture
def holder(qtbot: QtBot, session: Session) -> Iterator[QWidget]:
    """A shown widget for fields to stand in; closed at the end."""
    widget = QWidget()
    widget.resize(300, 200)
    qtbot.addWidget(widget)
    widget.show()
    yield widget
    widget.close()


@pytest.fixture
def edited(session: Session) -> Session:
    """A session with a ball that has a grade."""
    document = Document.of([a_cloud(), a_cloud(seed=2)], ["ball", "other"])
    session.stage.set_document(document, None)
    session.editing.open(document)
    session.editing.run("add_modifier", node="ball", kind="grade", id="look")
    return session


def number(session: Session, holder: QWidget, **values) -> NumberField:
    values = {"default": 1.0, "soft": (0.0, 2.4)} | values
    field = NumberField(Parameter("size", "number", **values), session.theme, holder)
    field.resize(120, 24)
    field.show()
    return field


def told(field: NumberField) -> list[object]:
    log: list[object] = []
    field.begun.connect(lambda: log.append("begun"))
    field.changed.connect(log.append)
    field.ended.connect(lambda: log.append("ended"))
    field.cancelled.connect(lambda: log.append("cancelled"))
    return log


def test_a_drag_scrubs(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    field = number(session, holder)
    log = told(field)
    drag(qtbot, field, 100)
    assert log[0] == "begun"
    assert log[-1] == "ended"
    assert field.value == pytest.approx(2.0)
    drag(qtbot, field, -100, SHIFT)
    assert field.value == pytest.approx(1.9), "Shift is ten times finer"
    drag(qtbot, field, -10, CONTROL)
    assert field.value == pytest.approx(0.9), "Ctrl is ten times coarser"


def test_slow_drags_of_whole_numbers_move(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    field = NumberField(Parameter("seed", "whole", 0, 0, 9), session.theme, holder)
    field.show()
    drag(qtbot, field, 30, SHIFT)
    assert field.value == 3.0
    drag(qtbot, field, 100)
    assert field.value == 9.0, "bounds hold"


def test_escape_gives_a_drag_up(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    field = number(session, holder)
    log = told(field)
    qtbot.mousePress(field, LEFT, NONE, QPoint(20, 10))
    for x in (30, 40, 50):
        move(field, QPoint(x, 10), NONE)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert log[-1] == "cancelled"
    qtbot.mouseRelease(field, LEFT, NONE, QPoint(50, 10))
    assert log[-1] == "cancelled"


def test_a_click_types(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    field = number(session, holder)
    log = told(field)
    qtbot.mouseClick(field, LEFT)
    edit = field.findChild(QLineEdit)
    qtbot.keyClicks(edit, "1/4")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert field.value == 0.25
    assert log == ["begun", 0.25, "ended"]
    qtbot.keyClicks(field, "7")
    edit = field._edit
    assert edit is not None
    assert edit.text() == "7", "a digit begins to type"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert field.value == 0.25


def test_what_is_no_number_stays_to_be_mended(
    qtbot: QtBot, session: Session, holder: QWidget
) -> None:
    field = number(session, holder)
    before = field.value
    qtbot.mouseClick(field, LEFT)
    edit = field.findChild(QLineEdit)
    edit.setText("1.5 / (2")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert field._edit is edit
    assert edit.text() == "1.5 / (2"
    assert field.value == before
    qtbot.keyClicks(edit, ")")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert field._edit is None
    assert field.value == 0.75
    qtbot.mouseClick(field, LEFT)
    field._edit.setText("nonsense")
    qtbot.keyClick(field._edit, Qt.Key.Key_Escape)
    assert field.value == 0.75


def test_a_double_click_types_over_all_and_with_ctrl_resets(
    qtbot: QtBot, session: Session, holder: QWidget
) -> None:
    field = number(session, holder)
    field.set_value(2.2)
    qtbot.mouseClick(field, LEFT)
    edit = field._edit
    assert edit is not None
    qtbot.mouseDClick(edit, LEFT)
    assert edit.selectedText() == "2.2"
    assert field.value == 2.2
    qtbot.mouseDClick(edit, LEFT, CONTROL)
    assert field.value == 1.0
    assert field._edit is None
    field.set_value(2.2)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert field.value == 1.0


@pytest.mark.parametrize(
    ("key", "text", "modifiers", "own"),
    [
        (Qt.Key.Key_0, "0", NONE, True),
        (Qt.Key.Key_0, "0", Qt.KeyboardModifier.KeypadModifier, True),
        (Qt.Key.Key_Asterisk, "*", SHIFT, True),
        (Qt.Key.Key_Minus, "-", NONE, True),
        (Qt.Key.Key_Return, "\r", NONE, True),
        (Qt.Key.Key_Backspace, "\b", NONE, True),
        (Qt.Key.Key_0, "0", CONTROL, False),
        (Qt.Key.Key_G, "g", NONE, False),
    ],
)
def test_what_a_number_takes_is_no_shortcut(
    session: Session, holder: QWidget, key: Qt.Key, text: str, modifiers, own: bool
) -> None:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, text)
    event.ignore()
    QApplication.sendEvent(number(session, holder), event)
    assert event.isAccepted() is own


def test_tab_goes_from_field_to_field(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    one, other = number(session, holder), number(session, holder)
    holder.activateWindow()
    one.setFocus(Qt.FocusReason.TabFocusReason)
    assert one._edit is not None
    qtbot.keyClicks(one._edit, "2")
    qtbot.keyClick(one._edit, Qt.Key.Key_Tab)
    assert one.value == 2.0
    assert other._edit is not None
    qtbot.keyClick(other._edit, Qt.Key.Key_Backtab)
    assert one._edit is not None


def test_the_wheel_needs_the_focus(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    field = number(session, holder)
    holder.activateWindow()

    def turn() -> None:
        at = QPointF(5.0, 5.0)
        event = QWheelEvent(
            at, field.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(field, event)

    field.clearFocus()
    turn()
    assert field.value == 1.0
    field.setFocus()
    turn()
    assert field.value == pytest.approx(1.01)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (-0.0004, "-0.0004"), (0.123456, "0.1235"), (12.3456, "12.35"),
     (1234.5, "1234"), (1e-12, "0"), (2.5e7, "2.5e+07"), (3e-5, "3e-05"), (math.pi, "3.142")],
)  # fmt: skip
def test_numbers_are_shown_to_four_figures(
    session: Session, holder: QWidget, value: float, text: str
) -> None:
    field = NumberField(Parameter("x", "number", 0.0), session.theme, holder)
    field.set_value(value)
    assert field.text == text


# Fields of properties


def test_a_scrub_is_one_step(qtbot: QtBot, edited: Session, holder: QWidget) -> None:
    row = fields.for_parameter(edited, "other/visible", holder)
    assert isinstance(row.field, SwitchField)
    ball = edited.editing.document.node("ball").id
    row = fields.for_parameter(edited, f"{ball}/look/exposure", holder)
    row.resize(240, 24)
    row.show()
    steps = len(edited.editing.editor.history.commands)
    drag(qtbot, row.field, 40)
    grade = edited.editing.document.node("ball").modifier("look")
    assert grade.exposure == pytest.approx(1.0)
    assert len(edited.editing.editor.history.commands) == steps + 1
    edited.editing.undo()
    assert row.field.value == 0.0, "fields follow the document"


def test_a_keyed_property_is_keyed_at_the_playhead(
    qtbot: QtBot, edited: Session, holder: QWidget
) -> None:
    ball = edited.editing.document.node("ball").id
    path = f"{ball}/look/exposure"
    row = fields.for_parameter(edited, path, holder)
    row.show()
    assert row.diamond.state == EMPTY
    qtbot.mouseClick(row.diamond, LEFT)
    assert row.diamond.state == KEYED
    edited.playback.seek(2.0)
    assert row.diamond.state == HALF
    row.field.commit(2.0)
    track = edited.editing.document.timeline.tracks[path]
    assert [(key.time, key.value) for key in track.keys] == [(0.0, (0.0,)), (2.0, (2.0,))]
    assert edited.editing.document.node("ball").modifier("look").exposure == 0.0
    edited.playback.seek(1.0)
    assert row.field.value == pytest.approx(1.0), "the value at the playhead is shown"
    edited.playback.seek(2.0)
    qtbot.mouseClick(row.diamond, LEFT)
    assert row.diamond.state == HALF
    row.link.remove_all_keys()
    assert row.diamond.state == EMPTY


def test_escape_takes_a_scrub_back(qtbot: QtBot, edited: Session, holder: QWidget) -> None:
    ball = edited.editing.document.node("ball").id
    row = fields.for_parameter(edited, f"{ball}/look/exposure", holder)
    row.resize(240, 24)
    row.show()
    before = edited.editing.document
    qtbot.mousePress(row.field, LEFT, NONE, QPoint(5, 5))
    for x in (12, 30, 60):
        move(row.field, QPoint(x, 5), NONE)
    assert row.field.value > 0.0
    qtbot.keyClick(row.field, Qt.Key.Key_Escape)
    assert edited.editing.document.node("ball").modifiers == before.node("ball").modifiers


def test_vectors_of_several_owners(qtbot: QtBot, edited: Session, holder: QWidget) -> None:
    document = edited.editing.document
    ids = [node.id for node in document.nodes]
    edited.editing.run("set", path=f"{ids[0]}/translation", value=(1.0, 2.0, 3.0))
    row = fields.for_parameter(edited, [f"{i}/translation" for i in ids], holder)
    row.show()
    assert isinstance(row.field, VectorField)
    assert [field.mixed for field in row.field.numbers] == [True, True, True]
    steps = len(edited.editing.editor.history.commands)
    row.field.numbers[0].commit(5.0)
    assert len(edited.editing.editor.history.commands) == steps + 1
    placed = [node.transform[:3, 3].tolist() for node in edited.editing.document.nodes]
    assert placed == [[5.0, 2.0, 3.0], [5.0, 0.0, 0.0]]
    assert [field.mixed for field in row.field.numbers] == [False, True, True]


def test_tooltips_name_the_python(edited: Session, holder: QWidget) -> None:
    ball = edited.editing.document.node("ball").id
    row = fields.for_parameter(edited, f"{ball}/look/exposure", holder)
    assert row.link.python == 'doc.set("ball/grade/exposure", 0.0)'
    assert row.link.tip.startswith("Exposure: brighter\n")
    assert row.link.tip.endswith(row.link.python)
    row = fields.for_parameter(edited, f"{ball}/translation", holder)
    assert row.link.python == 'doc.set("ball/translation", (0.0, 0.0, 0.0))'
    edited.editing.run("rename", node="other", name="ball")
    row = fields.for_parameter(edited, f"{ball}/visible", holder)
    assert row.link.python == f'doc.set("{ball}/visible", True)', "names that repeat are ids"


def test_a_property_that_goes_is_disabled(edited: Session, holder: QWidget) -> None:
    ball = edited.editing.document.node("ball").id
    row = fields.for_parameter(edited, f"{ball}/look/exposure", holder)
    row.show()
    edited.editing.run("remove_modifier", node="ball", modifier="look")
    assert not row.isEnabled()
    edited.editing.undo()
    assert row.isEnabled()


def test_colours_are_read_and_written() -> None:
    assert read_color("#ff8000") == (1.0, 128 / 255, 0.0)
    assert read_color("f80") == (1.0, 136 / 255, 0.0)
    assert read_color("1, 0.5, 0") == (1.0, 0.5, 0.0)
    assert read_color("red") is None
    assert read_color("2 0 0") is None
    assert color_text((1.0, 0.5, 0.0)) == "ff8000"


def test_a_colour_is_picked(qtbot: QtBot, edited: Session, holder: QWidget) -> None:
    row = fields.for_parameter(edited, "document/background", holder)
    row.resize(240, 24)
    row.show()
    field = row.field
    assert isinstance(field, ColorField)
    qtbot.mouseClick(field.swatch, LEFT)
    picker = field.picker
    assert picker is not None
    steps = len(edited.editing.editor.history.commands)
    square = picker.square
    qtbot.mousePress(square, LEFT, NONE, QPoint(0, 0))
    move(square, QPoint(10, 0), NONE)
    move(square, QPoint(square.width(), 0), NONE)
    qtbot.mouseRelease(square, LEFT, NONE, QPoint(square.width(), 0))
    assert edited.editing.document.background == pytest.approx((1.0, 0.0, 0.0), abs=1e-3)
    assert len(edited.editing.editor.history.commands) == steps + 1
    hues = picker.hues
    qtbot.mouseClick(hues, LEFT, NONE, QPoint(round(hues.width() / 3), 5))
    red, green, blue = edited.editing.document.background
    assert green > 0.9 > red
    assert blue < 0.1
    picker.numbers[2].commit(1.0)
    assert edited.editing.document.background[2] == 1.0
    qtbot.keyClick(picker, Qt.Key.Key_Escape)
    assert field.picker is None
    field.text.setFocus()
    field.text.selectAll()
    qtbot.keyClicks(field.text, "336699")
    qtbot.keyClick(field.text, Qt.Key.Key_Return)
    assert color_text(edited.editing.document.background) == "336699"


def test_a_drag_in_the_picker_ends_with_escape_and_with_the_picker(
    qtbot: QtBot, edited: Session, holder: QWidget
) -> None:
    row = fields.for_parameter(edited, "document/background", holder)
    row.resize(240, 24)
    row.show()
    qtbot.mouseClick(row.field.swatch, LEFT)
    picker, editor = row.field.picker, edited.editing.editor
    before, field = edited.editing.document.background, picker.numbers[1]
    qtbot.mousePress(field, LEFT, NONE, QPoint(10, 10))
    for x in (20, 30, 40):
        move(field, QPoint(x, 10), NONE)
    assert edited.editing.document.background != before
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.mouseRelease(field, LEFT, NONE, QPoint(40, 10))
    assert edited.editing.document.background == before
    assert not editor.in_gesture
    qtbot.mousePress(picker.square, LEFT, NONE, QPoint(5, 5))
    assert editor.in_gesture
    picker.close()
    assert not editor.in_gesture


def test_greys_keep_their_hue_in_the_picker(qtbot: QtBot, edited: Session, holder: QWidget) -> None:
    row = fields.for_parameter(edited, "document/background", holder)
    row.show()
    row.field.swatch.click()
    picker = row.field.picker
    qtbot.mouseClick(picker.hues, LEFT, NONE, QPoint(round(picker.hues.width() / 2), 5))
    assert picker.square.hue == pytest.approx(0.5, abs=0.02)
    assert edited.editing.document.background == (0.0, 0.0, 0.0)
    picker.close()


def test_a_title_too_long_for_its_room_ends_in_dots(session: Session, holder: QWidget) -> None:
    title = "A title that is far too long"

    def drawn(text: str) -> QImage:
        choice = ChoiceField([("a", text)], "which", holder)
        choice.set_value("a")
        choice.setFixedWidth(110)
        return choice.grab().toImage()

    assert drawn(title) in [drawn(f"{title[:n]}…") for n in range(4, 20)]


def test_choices_and_words(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    choice = ChoiceField([("a", "First"), ("b", "Second")], "which", holder)
    choice.set_value("b")
    assert choice.value == "b"
    choice.set_value("a", mixed=True)
    assert choice.currentIndex() == -1
    text = TextField("name", holder)
    heard: list[str] = []
    text.committed.connect(heard.append)
    text.set_value("pot")
    text.show()
    text.setFocus()
    text.selectAll()
    qtbot.keyClicks(text, "vase")
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert heard == ["vase"]
    text.selectAll()
    qtbot.keyClicks(text, " ")
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert heard == ["vase"], "nothing is no name"
    assert text.text() == "vase"


def test_rules_are_checked_and_counted(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    asked: list[str] = []

    def count(rule: str) -> int:
        asked.append(rule)
        return 1234

    field = RuleField(session, "mask", count, holder)
    field.show()
    heard: list[str] = []
    field.committed.connect(heard.append)
    qtbot.keyClicks(field.edit, "opacity <")
    assert "ends too early" in field.note.text()
    assert "\n" not in field.note.text()
    assert field.mark.isVisibleTo(field)
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert heard == []
    assert field.edit.text() == "opacity <", "it stays to be mended"
    qtbot.keyClicks(field.edit, " 0.5")
    qtbot.waitUntil(lambda: field.note.text() == "1,234 splats")
    assert asked == ["opacity < 0.5"], "it is counted once a pause comes"
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert heard == ["opacity < 0.5"]


def test_a_count_that_fails_tells_why(qtbot: QtBot, session: Session, holder: QWidget) -> None:
    from polyorama.errors import UsageError

    def count(rule: str) -> int:
        raise UsageError("There is no node called 'pot'.")

    field = RuleField(session, "mask", count, holder)
    field.set_value('dist(node "pot") < 1')
    qtbot.waitUntil(lambda: "no node" in field.note.text())
    assert field.mark.isVisibleTo(field)
