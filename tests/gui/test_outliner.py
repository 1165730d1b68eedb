"""The outliner: the tree follows the document, and what is done in it goes through operations."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester

from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.rigs import rig_camera
from polyorama.scene.selection import BitSet
from polyorama_studio.panels.node_commands import COMMANDS
from polyorama_studio.panels.outliner import OutlinerPanel
from polyorama_studio.panels.tree import EYE, LOCK, NAME
from polyorama_studio.pose import orbit_values
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def scene() -> Document:
    nodes = (
        Node("house", id="house"),
        Node("wall", a_cloud(20), parent="house", id="wall"),
        Node("roof", a_cloud(20), parent="house", id="roof"),
        Node("pot", a_cloud(30), id="pot"),
        Node("camera", CameraRig(), id="camera"),
    )
    return Document(nodes=nodes)


def open_document(session: Session, document: Document) -> None:
    session.stage.set_document(document, None)
    session.editing.open(document)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> Iterator[OutlinerPanel]:
    """The panel with a small scene."""
    open_document(session, scene())
    panel = OutlinerPanel(session)
    panel.resize(190, 600)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    yield panel
    panel.close()


def rows(panel: OutlinerPanel, parent: QModelIndex | None = None) -> list[object]:
    """Names, each with its own rows where it has some."""
    tree = panel.view.tree
    parent = parent or QModelIndex()
    found: list[object] = []
    for row in range(tree.rowCount(parent)):
        index = tree.index(row, NAME, parent)
        below = rows(panel, index)
        name = tree.data(index)
        found.append((name, below) if below else name)
    return found


def expected(document: Document, parent: str | None = None) -> list[object]:
    found: list[object] = []
    for node in document.nodes:
        if node.parent == parent:
            below = expected(document, node.id)
            found.append((node.name, below) if below else node.name)
    return found


def place(panel: OutlinerPanel, node: str, column: int = NAME) -> QPoint:
    return panel.view.visualRect(panel.view.tree.index_of(node, column)).center()


def click(qtbot: QtBot, panel: OutlinerPanel, node: str, column: int = NAME, keys=NONE) -> None:
    qtbot.mouseClick(panel.view.viewport(), LEFT, keys, place(panel, node, column))


def test_the_tree_is_the_document(panel: OutlinerPanel) -> None:
    assert rows(panel) == [("house", ["wall", "roof"]), "pot", "camera"]
    assert panel.view.isExpanded(panel.view.tree.index_of("house")), "small scenes open unfolded"


def test_clicks_choose(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    click(qtbot, panel, "pot")
    assert session.editing.document.chosen == ("pot",)
    click(qtbot, panel, "wall", keys=CONTROL)
    assert session.editing.document.chosen == ("pot", "wall"), "the last one is the active one"
    assert panel.view.active == "wall"
    session.editing.run("choose", nodes=["camera"])
    assert panel.view.chosen_rows() == ["camera"]
    session.editing.undo()
    assert set(panel.view.chosen_rows()) == {"pot", "wall"}


def test_names_are_edited_in_place(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    from PySide6.QtWidgets import QLineEdit

    click(qtbot, panel, "pot")
    qtbot.keyClick(panel.view, Qt.Key.Key_F2)
    edit = panel.view.viewport().findChild(QLineEdit)
    assert edit.text() == "pot"
    edit.selectAll()
    qtbot.keyClicks(edit, "vase")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.editing.document.node("pot").name == "vase")
    assert rows(panel)[1] == "vase"
    assert not panel.view.tree.setData(panel.view.tree.index_of("pot"), "  ")


def test_eyes_and_locks(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    click(qtbot, panel, "house", EYE)
    assert not session.editing.document.node("house").visible
    assert not panel.view.tree.is_shown(panel.view.tree.index_of("wall")), "what is below is hidden"
    click(qtbot, panel, "pot", LOCK)
    assert session.editing.document.node("pot").fixed
    click(qtbot, panel, "pot", LOCK)
    assert not session.editing.document.node("pot").fixed
    assert session.editing.document.chosen == (), "switches do not choose"


def test_a_drag_over_eyes_is_one_step(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    viewport = panel.view.viewport()
    qtbot.mousePress(viewport, LEFT, NONE, place(panel, "wall", EYE))
    for node in ("roof", "pot"):
        qtbot.mouseMove(viewport, place(panel, node, EYE))
    qtbot.mouseRelease(viewport, LEFT, NONE, place(panel, "pot", EYE))
    hidden = [node.name for node in session.editing.document.nodes if not node.visible]
    assert hidden == ["wall", "roof", "pot"]
    assert len(session.editing.editor.history.commands) == 1


def test_alt_click_shows_a_node_alone(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    alt = Qt.KeyboardModifier.AltModifier
    click(qtbot, panel, "wall", EYE, alt)
    hidden = [node.name for node in session.editing.document.nodes if not node.visible]
    assert hidden == ["roof", "pot", "camera"]
    click(qtbot, panel, "wall", EYE, alt)
    assert all(node.visible for node in session.editing.document.nodes)


def drop(panel: OutlinerPanel, nodes: list[str], row: int, parent: str | None) -> bool:
    tree = panel.view.tree
    data = tree.mimeData([tree.index_of(node) for node in nodes])
    above = QModelIndex() if parent is None else tree.index_of(parent)
    return tree.dropMimeData(data, Qt.DropAction.MoveAction, row, 0, above)


def test_drops_move_nodes(panel: OutlinerPanel, session: Session) -> None:
    assert drop(panel, ["pot"], -1, "house")
    assert rows(panel) == [("house", ["wall", "roof", "pot"]), "camera"]
    assert drop(panel, ["pot"], 0, "house")
    assert rows(panel) == [("house", ["pot", "wall", "roof"]), "camera"]
    assert drop(panel, ["wall", "roof"], 0, None)
    assert rows(panel) == ["wall", "roof", ("house", ["pot"]), "camera"]
    assert not drop(panel, ["house"], -1, "pot"), "nothing lies below itself"
    for _ in range(3):
        session.editing.undo()
    assert rows(panel) == [("house", ["wall", "roof"]), "pot", "camera"]


def test_folds_and_scroll_outlast_edits(
    qtbot: QtBot, panel: OutlinerPanel, session: Session
) -> None:
    nodes = [Node(f"n{i}", id=f"n{i}") for i in range(300)]
    nodes += [Node(f"inner {i}", parent="n250", id=f"i{i}") for i in range(3)]
    open_document(session, Document(nodes=tuple(nodes)))
    view = panel.view
    assert not view.isExpanded(view.tree.index_of("n250")), "large scenes open folded"
    view.expand(view.tree.index_of("n250"))
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 0)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    before = view.verticalScrollBar().value()
    session.editing.run("rename", node="n3", name="other")
    session.editing.run("remove", nodes=["n299"])
    session.editing.run("group", nodes=["n298"])
    assert view.isExpanded(view.tree.index_of("n250"))
    assert abs(view.verticalScrollBar().value() - before) <= 2 * view.sizeHintForRow(0)
    session.editing.run("remove", nodes=[f"n{i}" for i in range(100)])
    assert view.isExpanded(view.tree.index_of("n250")), "large changes, too"


def test_search(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    view = panel.view
    view.collapse(view.tree.index_of("house"))
    panel.search.setText("ROO")
    qtbot.waitUntil(lambda: rows(panel) == [("house", ["roof"])])
    assert view.isExpanded(view.tree.index_of("house"))
    panel.search.setText("camera")
    qtbot.waitUntil(lambda: rows(panel) == ["camera"])
    panel.search.setText("group")
    qtbot.waitUntil(lambda: rows(panel) == ["house"])
    panel.search.setText("nothing like it")
    qtbot.waitUntil(lambda: rows(panel) == [])
    session.editing.run("rename", node="pot", name="nothing like it")
    assert rows(panel) == ["nothing like it"]
    panel.search.clear()
    qtbot.waitUntil(lambda: len(rows(panel)) == 3)
    assert not view.isExpanded(view.tree.index_of("house")), "folds come back"


def test_keys_on_the_tree(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    click(qtbot, panel, "pot")
    qtbot.keyClick(panel.view, Qt.Key.Key_Space)
    assert not session.editing.document.node("pot").visible
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert rows(panel) == [("house", ["wall", "roof"]), "camera"]
    session.editing.undo()
    assert session.editing.document.chosen == ("pot",)
    qtbot.keyClick(panel.view, Qt.Key.Key_Escape)
    assert session.editing.document.chosen == ()


def test_any_edits_leave_the_tree_like_the_document(panel: OutlinerPanel, session: Session) -> None:
    dice = random.Random(7)
    tester = QAbstractItemModelTester(
        panel.view.tree, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    editing = session.editing
    for step in range(150):
        ids = [node.id for node in editing.document.nodes]
        some = dice.sample(ids, min(len(ids), dice.randint(1, 3)))
        what = dice.choice(["move", "group", "duplicate", "remove", "rename", "undo", "redo"])
        if what in ("undo", "redo"):
            getattr(editing, what)()
        elif what == "rename" and some:
            editing.run("rename", node=some[0], name=f"name {step}")
        elif what == "move" and some:
            free = [i for i in ids if not any(
                i in {n.id for n in editing.document.below(s)} for s in some)]  # fmt: skip
            editing.run("move", nodes=some, parent=dice.choice([*free, None]))
        elif what in ("group", "duplicate") and some and len(ids) < 40:
            editing.run(what, nodes=some)
        elif what == "remove" and len(ids) > 4:
            editing.run("remove", nodes=some[:1])
        assert rows(panel) == expected(editing.document), what
    tester.deleteLater()


def test_ten_thousand_nodes_change_row_by_row(panel: OutlinerPanel, session: Session) -> None:
    nodes = tuple(Node(f"n{i}", id=f"n{i:05}") for i in range(10_000))
    open_document(session, Document(nodes=nodes))
    tree = panel.view.tree
    told: list[str] = []
    tree.modelReset.connect(lambda: told.append("reset"))
    tree.dataChanged.connect(lambda first, last: told.append(f"row {first.row()}"))
    tree.rowsRemoved.connect(lambda parent, first, last: told.append(f"gone {first}"))
    session.editing.run("rename", node="n09000", name="other")
    session.editing.run("remove", nodes=["n00005"])
    assert told == ["row 9000", "gone 5"]


def run(session: Session, command_id: str) -> None:
    command = next(command for command in COMMANDS if command.id == command_id)
    assert command.when(session)
    command.run(session)


def test_commands_on_nodes(panel: OutlinerPanel, session: Session) -> None:
    for command_id, kind in (
        ("add-camera", CameraRig), ("add-light", LightRig), ("add-volume", CropVolume),
    ):  # fmt: skip
        run(session, command_id)
        document = session.editing.document
        assert isinstance(document.node(document.chosen[0]).content, kind)
    volume = session.editing.document.node("Crop volume")
    assert volume.transform[0, 0] > 1.5, "it stands round the scene"
    run(session, "add-camera")
    assert session.editing.document.node("Camera 2").name == "Camera 2"
    rig = session.editing.document.node("Camera 2").content
    eye = session.stage.view.camera(100, 100).position
    assert rig.eye == pytest.approx(tuple(eye))
    assert rig.kind == "orbit", "so that keys turn it about what it looks at"
    shown = session.editing.document
    camera = rig_camera(shown, "Camera 2", (100, 100))
    assert np.allclose(camera.viewmat, session.stage.view.camera(100, 100).viewmat, atol=1e-5)
    session.editing.run("choose", nodes=["house"])
    run(session, "add-group")
    assert session.editing.document.node("Group").parent == "house"
    session.editing.run("choose", nodes=["wall"])
    run(session, "hide-others")
    visible = {node.id for node in session.editing.document.nodes if node.visible}
    assert visible == {"house", "wall"}


def test_orbits_turn_the_short_way() -> None:
    up, target = (0.0, -1.0, 0.0), np.zeros(3)
    behind = [np.array([x, 0.0, -3.0]) for x in (0.1, -0.1)]
    first, second = (orbit_values(up, eye, target, azimuth=170.0)["azimuth"] for eye in behind)
    assert abs(first - second) < 5.0
    assert min(first, second) > 170.0


def test_commands_know_when(panel: OutlinerPanel, session: Session) -> None:
    def possible() -> set[str]:
        return {command.id for command in COMMANDS if command.when(session)}

    assert "group" not in possible()
    session.editing.run("choose", nodes=["wall", "roof"])
    assert {"merge", "group"} <= possible()
    assert "ungroup" not in possible()
    session.editing.run("choose", nodes=["house"])
    assert "ungroup" in possible()
    assert "merge" not in possible()
    session.editing.open(None)
    session.stage.set_document(None, None)
    assert possible() == set()


def test_the_menu_fits_what_is_chosen(panel: OutlinerPanel, session: Session) -> None:
    def titles() -> list[str]:
        menu = panel.node_menu()
        found = [action.text() for action in menu.actions() if not action.isSeparator()]
        menu.deleteLater()
        return found

    assert titles() == ["Add group", "Add camera from view", "Add light", "Add crop volume"]
    session.editing.run("choose", nodes=["pot"])
    assert titles()[:3] == ["Rename", "Add", "Group"]
    assert "Delete nodes" in titles()


def test_named_selections(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    named = panel.named
    assert not named.keep.isEnabled()
    session.editing.run("select_bits", bits={"pot": BitSet.of_indices([1, 2, 3], 30)})
    qtbot.mouseClick(named.keep, LEFT)
    assert [row.entry.name for row in named.rows] == ["Selection 1"]
    assert named.rows[0].count == 3
    session.editing.run("keep_selection", name="few", query="index < 5")
    qtbot.waitUntil(lambda: named.rows[1].count == 15)
    session.editing.run("select_none")
    qtbot.mouseClick(named.rows[1], LEFT)
    qtbot.waitUntil(lambda: len(session.editing.document.selection) == 3)
    qtbot.mouseClick(named.rows[0], LEFT, CONTROL)
    qtbot.waitUntil(lambda: len(session.editing.document.selection["pot"]) == 2)
    session.editing.run("keep_selection", name="wrong", query='dist(node "nothing") < 1')
    qtbot.waitUntil(lambda: "nothing" in named.rows[2].trouble)
    session.editing.run("forget_selection", name="wrong")
    session.editing.run("rename_selection", name="few", to="some")
    assert {row.entry.name for row in named.rows} == {"Selection 1", "some"}


def test_another_document_starts_anew(qtbot: QtBot, panel: OutlinerPanel, session: Session) -> None:
    panel.search.setText("pot")
    qtbot.waitUntil(lambda: rows(panel) == ["pot"])
    open_document(session, Document(nodes=(Node("only"),)))
    assert rows(panel) == ["only"]
    session.stage.set_document(None, None)
    session.editing.open(None)
    assert rows(panel) == []
