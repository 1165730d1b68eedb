"""The modifiers panel: cards of the edit stack, their masks, order and menus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from polyorama.errors import FileFormatError
from polyorama.scene.contents import CropVolume
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import MODIFIERS
from polyorama.scene.selection import BitSet
from polyorama_studio.panels.modifiers import ModifiersPanel
from polyorama_studio.panels.stacks import BUILT_IN, built_in, read_stack, stack_text
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.panels.card import Card
    from polyorama_studio.session import Session

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> Iterator[ModifiersPanel]:
    """The panel with a pot chosen."""
    nodes = (
        Node("pot", a_cloud(60), id="pot"),
        Node("other", a_cloud(30), id="other"),
        Node("box", CropVolume(), id="box"),
    )
    document = Document(nodes=nodes, chosen=("pot",))
    session.stage.set_document(document, None)
    session.editing.open(document)
    panel = ModifiersPanel(session)
    panel.resize(250, 800)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    yield panel
    panel.close()


def stack(session: Session, node: str = "pot") -> list[str]:
    return [modifier.kind for modifier in session.editing.document.node(node).modifiers]


def cards(panel: ModifiersPanel) -> list[str]:
    return [card.kind for card in panel.cards]


def add(session: Session, *kinds: str, **arguments: object) -> None:
    for kind in kinds:
        assert session.editing.run("add_modifier", node="pot", kind=kind, id=kind, **arguments)


def card(panel: ModifiersPanel, kind: str) -> Card:
    return next(card for card in panel.cards if card.kind == kind)


@pytest.mark.parametrize("kind", MODIFIERS)
def test_every_kind_has_a_card(
    qtbot: QtBot, panel: ModifiersPanel, session: Session, kind: str
) -> None:
    panel.commands.add_kind(kind)
    qtbot.waitUntil(lambda: stack(session) == [kind])
    assert cards(panel) == [kind]
    assert card(panel, kind).head.text() == MODIFIERS[kind].title
    for row in card(panel, kind).rows.values():
        assert row.isEnabled()


def test_the_menu_lists_every_kind(panel: ModifiersPanel) -> None:
    menu = panel.menus.add_menu()
    assert [a.text() for a in menu.actions()] == [cls.title for cls in MODIFIERS.values()]
    menu.deleteLater()


def test_cards_follow_the_stack(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", "opacity", "size")
    first = card(panel, "grade")
    session.editing.run("move_modifier", node="pot", modifier="size", index=0)
    assert cards(panel) == ["size", "grade", "opacity"]
    assert card(panel, "grade") is first, "cards are kept"
    session.editing.run("remove_modifier", node="pot", modifier="opacity")
    assert cards(panel) == ["size", "grade"]
    session.editing.undo()
    assert cards(panel) == ["size", "grade", "opacity"]
    session.editing.run("choose", nodes=["other"])
    assert cards(panel) == []
    assert panel.empty.isVisible()
    session.editing.run("choose", nodes=["box"])
    assert not panel.add.isVisible()
    session.editing.run("choose", nodes=["pot"])
    assert cards(panel) == ["size", "grade", "opacity"]


def test_cards_lie_in_order(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", "opacity", "size")
    session.editing.run("move_modifier", node="pot", modifier="size", index=0)
    QGuiApplication.processEvents()
    tops = [card.geometry().top() for card in panel.cards]
    assert tops == sorted(tops)


def test_a_step_is_switched_off(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade")
    qtbot.mouseClick(card(panel, "grade").switch, LEFT)
    assert not session.editing.document.node("pot").modifier("grade").enabled
    assert card(panel, "grade").head.note == "off"


def test_cards_are_dragged(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "opacity", "size", "sh-level")
    for each in panel.cards:
        each.set_open(False)
    QGuiApplication.processEvents()
    grip = card(panel, "opacity").grip
    below = card(panel, "size").mapToGlobal(QPoint(10, card(panel, "size").height() - 1))
    qtbot.mousePress(grip, LEFT, NONE, grip.rect().center())
    grip.pulled.emit(below)
    assert panel._line.isVisible()
    assert card(panel, "opacity").lifted
    qtbot.mouseRelease(grip, LEFT, NONE, grip.rect().center())
    assert stack(session) == ["size", "opacity", "sh-level"]
    assert not panel._line.isVisible()


def test_keys_move_and_remove_cards(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "opacity", "size")
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(card(panel, "size").head, Qt.Key.Key_Up, alt)
    assert stack(session) == ["size", "opacity"]
    qtbot.keyClick(card(panel, "size").head, Qt.Key.Key_Up, alt)
    assert stack(session) == ["size", "opacity"]
    qtbot.keyClick(card(panel, "size").head, Qt.Key.Key_Delete)
    assert stack(session) == ["opacity"]


def test_cards_are_renamed(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade")
    head = card(panel, "grade").head
    qtbot.mouseDClick(head, LEFT)
    edit = head.findChild(type(head.children()[-1]))
    qtbot.keyClicks(edit, "Evening")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert session.editing.document.node("pot").modifier("grade").name == "Evening"
    assert head.text() == "Evening"


def test_masks(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade")
    mask = card(panel, "grade").mask

    def present() -> object:
        return session.editing.document.node("pot").modifier("grade").mask

    mask.kind.choose("rule")
    assert mask.rule.isVisible()
    assert present() is None, "nothing changes before there is a rule"
    qtbot.keyClicks(mask.rule.edit, "index < 12")
    qtbot.waitUntil(lambda: mask.rule.note.text() == "12 splats")
    qtbot.keyClick(mask.rule.edit, Qt.Key.Key_Return)
    assert present() == "index < 12"
    mask.kind.choose("picked")
    assert present() == "index < 12", "nothing is selected yet"
    session.editing.run("select_bits", bits={"pot": BitSet.of_indices([1, 2, 3], 60)})
    mask.kind.choose("picked")
    assert len(present()) == 3
    assert mask.note.text() == "3 splats"
    session.editing.run("select_none")
    qtbot.mouseClick(mask.show_picked, LEFT)
    assert len(session.editing.document.selection["pot"]) == 3
    mask.kind.choose("all")
    assert present() is None


@pytest.mark.parametrize("rule", ["foo > 3", 'selected("gone")', 'dist(node "gone") < 1'])
def test_a_rule_of_what_is_not_there_is_not_taken(
    qtbot: QtBot, panel: ModifiersPanel, session: Session, rule: str
) -> None:
    add(session, "grade", mask="index < 12")
    field = card(panel, "grade").mask.rule
    field.edit.setFocus()
    field.edit.selectAll()
    qtbot.keyClicks(field.edit, rule)
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert session.editing.document.node("pot").modifier("grade").mask == "index < 12"
    assert field.mark.isVisible()
    assert field.note.text()
    assert field.edit.text() == rule, "it stays to be mended"
    qtbot.keyClick(field.edit, Qt.Key.Key_Escape)
    assert field.edit.text() == "index < 12"


def test_rules_are_counted_at_their_step(
    qtbot: QtBot, panel: ModifiersPanel, session: Session
) -> None:
    add(session, "opacity", values={"factor": 0.5})
    add(session, "grade", mask="opacity > 0.5")
    mask = card(panel, "grade").mask
    qtbot.waitUntil(lambda: mask.rule.note.text() == "0 splats")
    session.editing.run("set", path="pot/opacity/factor", value=1.0)
    qtbot.waitUntil(lambda: mask.rule.note.text() == "60 splats")
    add(session, "delete", values={"rule": "index < 5"})
    rule = card(panel, "delete").rule
    qtbot.waitUntil(lambda: rule.note.text() == "5 splats")
    rule.edit.setFocus()
    rule.edit.selectAll()
    qtbot.keyClicks(rule.edit, "index < 7")
    qtbot.keyClick(rule.edit, Qt.Key.Key_Return)
    assert session.editing.document.node("pot").modifier("delete").rule == "index < 7"


def test_what_is_selected_becomes_the_mask(panel: ModifiersPanel, session: Session) -> None:
    session.editing.run("select_bits", bits={"pot": BitSet.of_indices([4, 5], 60)})
    panel.commands.add_kind("grade")
    assert len(session.editing.document.node("pot").modifiers[0].mask) == 2
    panel.commands.add_kind("decimate")
    assert session.editing.document.node("pot").modifiers[1].mask is None


def test_a_crop_fits_what_is_selected(
    qtbot: QtBot, panel: ModifiersPanel, session: Session
) -> None:
    means = session.editing.document.node("pot").splats.means
    panel.commands.add_kind("crop")
    qtbot.waitUntil(lambda: stack(session) == ["crop"])
    crop = session.editing.document.node("pot").modifiers[0]
    assert min(crop.size) > 1.5, "a new one stands round all splats"
    session.editing.run("select_bits", bits={"pot": BitSet.of_indices([4, 5, 6], 60)})
    steps = len(session.editing.editor.history.commands)
    qtbot.mouseClick(card(panel, "crop").fit, LEFT)
    qtbot.waitUntil(lambda: len(session.editing.editor.history.commands) == steps + 1)
    crop = session.editing.document.node("pot").modifiers[0]
    chosen = means[4:7].astype(np.float64)
    np.testing.assert_allclose(crop.center, (chosen.min(0) + chosen.max(0)) / 2, atol=1e-6)
    np.testing.assert_allclose(crop.size, np.ptp(chosen, axis=0), atol=1e-6)


def test_a_crop_takes_its_place_from_a_volume(panel: ModifiersPanel, session: Session) -> None:
    add(session, "crop")
    shown = card(panel, "crop")
    volume = shown.volume
    assert [volume.itemText(i) for i in range(volume.count())] == ["Its own", "box"]
    volume.setCurrentIndex(1)
    volume.activated.emit(1)
    assert session.editing.document.node("pot").modifier("crop").volume == "box"
    assert not shown.rows["center"].isVisible()
    assert shown.rows["soft"].isVisible()
    volume.setCurrentIndex(0)
    volume.activated.emit(0)
    assert shown.rows["center"].isVisible()


def test_wind_stands_on_the_floor(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    panel.commands.add_kind("wind")
    qtbot.waitUntil(lambda: stack(session) == ["wind"])
    wind = session.editing.document.node("pot").modifiers[0]
    assert wind.up == pytest.approx((0.0, -1.0, 0.0))
    assert wind.root[1] > 0.8, "down is +y here"
    assert np.dot(wind.direction, wind.up) == pytest.approx(0.0)


def test_stacks_are_copied_and_pasted(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", values={"exposure": 1.5})
    add(session, "opacity", mask=BitSet.of_indices([1], 60))
    panel.commands.copy_all()
    steps = len(session.editing.editor.history.commands)
    panel.commands.paste()
    assert stack(session) == ["grade", "opacity"] * 2
    assert len(session.editing.editor.history.commands) == steps + 1
    modifiers = session.editing.document.node("pot").modifiers
    assert modifiers[2].exposure == 1.5
    assert modifiers[3].mask == modifiers[1].mask
    notices: list[object] = []
    session.notice.connect(notices.append)
    session.editing.run("choose", nodes=["other"])
    panel.commands.paste()
    pasted = session.editing.document.node("other").modifiers
    assert [m.enabled for m in pasted] == [True, False], "picked splats belong to their node"
    assert len(notices) == 1


@pytest.mark.parametrize(
    "text",
    ["", "hello", "[]", '{"polyorama": "modifiers", "format": 2}',
     '{"polyorama": "modifiers", "format": 1, "modifiers": [{"type": "Key", "time": 0, '
     '"value": [1]}]}',
     '{"polyorama": "modifiers", "format": 1, "modifiers": [{"type": "Grade", "exposure": 99}]}',
     "[" * 100_000],
)  # fmt: skip
def test_what_is_no_stack_is_refused(text: str) -> None:
    with pytest.raises(FileFormatError, match="the clipboard"):
        read_stack(text, "the clipboard")


def test_stacks_survive_as_text() -> None:
    stack = tuple(cls(name=f"a {cls.kind}", id="x") for cls in MODIFIERS.values())
    again = read_stack(stack_text(stack), "text")
    assert [(type(m), m.name, m.id) for m in again] == [(type(m), m.name, "") for m in stack]


@pytest.mark.parametrize("name", BUILT_IN)
def test_presets_are_stacks(panel: ModifiersPanel, session: Session, name: str) -> None:
    panel.commands.add_preset(name)
    assert stack(session) == [modifier.kind for modifier in built_in(name)]


def test_own_presets(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", values={"exposure": 0.75})
    panel.commands.save_preset("my look")
    menu = panel.menus.stack_menu()
    presets = next(a.menu() for a in menu.actions() if a.text() == "Presets")
    entry = next(a for a in presets.actions() if a.text() == "my look")
    entry.trigger()
    menu.deleteLater()
    assert session.editing.document.node("pot").modifiers[1].exposure == 0.75
    notices: list[object] = []
    session.notice.connect(notices.append)
    panel.commands.save_preset("../elsewhere")
    assert len(notices) == 1


def test_menus_of_cards(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", "opacity")
    session.editing.run("set", path="pot/grade/exposure", value=1.0)
    panel.commands.duplicate("grade")
    assert stack(session) == ["grade", "grade", "opacity"]
    assert session.editing.document.node("pot").modifiers[1].exposure == 1.0
    panel.commands.reset("grade")
    assert session.editing.document.node("pot").modifiers[0].exposure == 0.0
    panel.commands.remove("grade")
    assert stack(session) == ["grade", "opacity"]
    menu = panel.menus.card_menu(panel.cards[0])
    key = next(a for a in menu.actions() if a.text() == "Key on and off")
    key.trigger()
    menu.deleteLater()
    path = f"pot/{panel.cards[0].id}/enabled"
    assert path in session.editing.document.timeline.tracks
    panel.commands.remove_all()
    assert stack(session) == []
    session.editing.undo()
    assert stack(session) == ["grade", "opacity"]


def test_stacks_are_applied(qtbot: QtBot, panel: ModifiersPanel, session: Session) -> None:
    add(session, "delete", values={"rule": "index < 10"})
    panel.commands.apply_all()
    qtbot.waitUntil(lambda: len(session.editing.document.node("pot").splats) == 50)
    assert stack(session) == []


def test_folds_are_kept(panel: ModifiersPanel, session: Session) -> None:
    add(session, "grade", "opacity")
    card(panel, "grade").head.click()
    assert not card(panel, "grade").body.isVisible()
    session.editing.run("choose", nodes=["other"])
    session.editing.run("choose", nodes=["pot"])
    assert not card(panel, "grade").body.isVisible()
    assert card(panel, "opacity").body.isVisible()
