"""The inspector: sections that fit what is chosen, cameras set from the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt

from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Mesh
from polyorama.scene.placement import matrix_of
from polyorama.scene.rigs import rig_camera
from polyorama.scene.selection import BitSet
from polyorama_studio.fields.row import PropertyRow
from polyorama_studio.panels.camera_section import CameraSection, ViewSection, rig_values
from polyorama_studio.panels.inspector import InspectorPanel
from polyorama_studio.panels.selection_section import SelectionSection, SplatsSection
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

LEFT = Qt.MouseButton.LeftButton


def scene() -> Document:
    nodes = (
        Node("house", id="house"),
        Node("wall", a_cloud(20), parent="house", id="wall"),
        Node("roof", a_cloud(20), parent="house", id="roof"),
        Node("camera", CameraRig(), matrix_of((1, 2, 3), (10, 20, 30), (1, 1, 1)), id="camera"),
        Node("second", CameraRig(kind="orbit"), id="second"),
        Node("sun", LightRig(), id="sun"),
        Node("box", CropVolume(), id="box"),
    )
    return Document(nodes=nodes)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> Iterator[InspectorPanel]:
    """The panel with a small scene."""
    document = scene()
    session.stage.set_document(document, None)
    session.editing.open(document)
    panel = InspectorPanel(session)
    panel.resize(250, 800)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    yield panel
    panel.close()


def titles(panel: InspectorPanel) -> list[str]:
    return [section.head.text() for section in panel.sections]


def names(panel: InspectorPanel) -> list[str]:
    rows = [row for section in panel.sections for row in section.findChildren(PropertyRow)]
    return [row.link.parameter.name for row in rows]


def row(panel: InspectorPanel, name: str) -> PropertyRow:
    rows = [row for section in panel.sections for row in section.findChildren(PropertyRow)]
    return next(row for row in rows if row.link.parameter.name == name)


def section(panel: InspectorPanel, kind: type) -> object:
    return next(section for section in panel.sections if isinstance(section, kind))


def test_nothing_chosen_shows_the_scene(panel: InspectorPanel) -> None:
    assert titles(panel) == ["Scene", "Saved view"]
    assert names(panel) == ["background", "eye", "target", "fov"]
    assert panel.header.detail.text() == "7 nodes, 40 splats"
    assert panel.header.name.isReadOnly()


def test_a_splat_node(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["wall"])
    assert titles(panel) == ["Transform", "Splats", "Display", "Library"]
    assert names(panel) == ["translation", "rotation", "scale", "visible"]
    assert panel.header.name.text() == "wall"
    assert panel.header.detail.text() == "20 splats"
    session.editing.run("select_bits", bits={"wall": BitSet.of_indices([1, 2], 20)})
    assert panel.header.detail.text() == "2 of 20 splats selected"
    assert "Selected splats" in titles(panel)
    session.editing.run("hide")
    assert section(panel, SplatsSection)._facts["hidden"][1].text() == "2"
    assert "Selected splats" not in titles(panel)


def test_pages_are_made_once_for_a_kind(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["wall"])
    wall = panel.sections
    session.editing.run("choose", nodes=["sun"])
    assert panel.sections[0] is not wall[0]
    assert not wall[0].isVisible()
    session.editing.run("set", path="wall/translation", value=(1.0, 2.0, 3.0))
    session.editing.run("choose", nodes=["wall"])
    assert panel.sections is wall
    shown = [number.value for number in row(panel, "translation").field.numbers]
    assert shown == [1.0, 2.0, 3.0], "what changed unseen is shown"
    for _ in range(4):
        session.editing.undo()
    assert titles(panel) == ["Scene", "Saved view"]
    session.editing.open(scene())
    session.editing.run("choose", nodes=["wall"])
    assert panel.sections is not wall, "another document begins anew"


def test_the_name_is_edited_in_the_header(
    qtbot: QtBot, panel: InspectorPanel, session: Session
) -> None:
    session.editing.run("choose", nodes=["wall"])
    panel.header.name.setFocus()
    panel.header.name.selectAll()
    qtbot.keyClicks(panel.header.name, "brick")
    qtbot.keyClick(panel.header.name, Qt.Key.Key_Return)
    assert session.editing.document.node("wall").name == "brick"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("house", ["translation", "rotation", "scale", "visible"]),
        ("box", ["translation", "rotation", "scale", "shape", "visible"]),
    ],
)
def test_each_kind_shows_its_own(
    panel: InspectorPanel, session: Session, node: str, expected: list[str]
) -> None:
    session.editing.run("choose", nodes=[node])
    assert names(panel) == expected


def test_lights_show_all_they_have(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["sun"])
    assert "Light" in titles(panel)
    assert {"azimuth", "key", "ambient"} <= set(names(panel))


def test_a_camera_shows_what_its_rig_uses(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["camera"])
    assert "eye" in names(panel)
    assert "azimuth" not in names(panel)
    session.editing.run("set", path="camera/kind", value="orbit")
    assert "eye" not in names(panel)
    assert {"azimuth", "elevation", "distance"} <= set(names(panel))
    session.editing.run("set", path="camera/kind", value="follow")
    follows = section(panel, CameraSection).follows
    follows.setCurrentIndex(follows.findText("wall"))
    follows.activated.emit(follows.currentIndex())
    assert session.editing.document.node("camera").content.follows == "wall"


def test_several_nodes_share_fields(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["wall", "camera"])
    assert names(panel) == ["translation", "rotation", "scale", "visible"]
    assert panel.header.name.text() == "2 nodes"
    assert panel.header.detail.text() == "Camera, Splats"
    assert [f.mixed for f in row(panel, "translation").field.numbers] == [True, True, True]
    row(panel, "translation").field.numbers[1].commit(7.0)
    document = session.editing.document
    assert [document.node(i).transform[1, 3] for i in ("wall", "camera")] == [7.0, 7.0]
    session.editing.run("choose", nodes=["camera", "second"])
    assert row(panel, "kind").field.currentIndex() == -1, "they are carried by different things"


def test_rows_stay_while_values_change(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["wall"])
    before = row(panel, "translation")
    session.editing.run("set", path="wall/translation", value=(1.0, 2.0, 3.0))
    assert row(panel, "translation") is before
    assert before.field.value == (1.0, 2.0, 3.0)
    session.editing.run("remove", nodes=["wall"])
    assert titles(panel) == ["Scene", "Saved view"]


def test_others_of_a_kind_take_the_same_rows(
    qtbot: QtBot, panel: InspectorPanel, session: Session
) -> None:
    session.editing.run("choose", nodes=["wall"])
    before = row(panel, "translation")
    session.editing.run("choose", nodes=["roof"])
    assert row(panel, "translation") is before
    before.field.numbers[0].commit(3.0)
    document = session.editing.document
    assert [document.node(i).transform[0, 3] for i in ("wall", "roof")] == [0.0, 3.0]
    session.editing.run("select_bits", bits={"roof": BitSet.of_indices([1], 20)})
    session.editing.run("delete")
    session.editing.run("choose", nodes=["wall"])
    session.editing.run("choose", nodes=["roof"])
    qtbot.mouseClick(section(panel, SplatsSection)._facts["deleted"][2], LEFT)
    qtbot.waitUntil(lambda: session.editing.document.node("roof").deleted is None)


def test_folds_are_remembered(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("choose", nodes=["wall"])
    panel.sections[0].head.click()
    assert not panel.sections[0].body.isVisible()
    session.editing.run("choose", nodes=["camera"])
    assert not panel.sections[0].body.isVisible(), "in all nodes"
    session.editing.run("choose", nodes=["wall"])
    panel.sections[0].head.click()
    assert panel.sections[0].body.isVisible()


def test_scales_keep_their_proportions(panel: InspectorPanel, session: Session) -> None:
    session.editing.run("set", path="wall/scale", value=(1.0, 2.0, 4.0))
    session.editing.run("choose", nodes=["wall"])
    scale = row(panel, "scale")
    scale.chain.click()
    scale.field.numbers[1].commit(1.0)
    assert scale.field.value == pytest.approx((0.5, 1.0, 2.0))
    scale.chain.click()
    scale.field.numbers[1].commit(3.0)
    assert scale.field.value == pytest.approx((0.5, 3.0, 2.0))


@pytest.mark.parametrize("kind", ["free", "orbit", "dolly", "follow"])
def test_cameras_are_set_from_the_view(panel: InspectorPanel, session: Session, kind: str) -> None:
    editing = session.editing
    editing.run("set", path="camera/kind", value=kind)
    editing.run("follow", node="camera", target="wall")
    editing.run("set", path="wall/translation", value=(0.5, 0.25, 0.125))
    editing.run("choose", nodes=["camera"])
    view = session.stage.view
    steps = len(editing.editor.history.commands)
    section(panel, CameraSection)._set_from_view()
    assert len(editing.editor.history.commands) == steps + 1
    seen, wanted = rig_camera(editing.document, "camera", (640, 480)), view.camera(640, 480)
    np.testing.assert_allclose(seen.position, wanted.position, atol=1e-6)
    if kind != "orbit":  # a tilted node's orbit is level in the node's own space
        np.testing.assert_allclose(seen.forward, wanted.forward, atol=1e-6)
    assert seen.fov == pytest.approx(wanted.fov)


def test_an_orbit_finds_its_angles() -> None:
    document = Document(nodes=(Node("rig", CameraRig(kind="orbit"), id="rig"),))
    eye, target = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, -0.3])
    values = rig_values(document, "rig", eye, target)
    assert values["distance"] == pytest.approx(np.linalg.norm(eye - target))
    from dataclasses import replace

    rig = replace(CameraRig(kind="orbit"), **values)
    document = document.replaced(replace(document.node("rig"), content=rig))
    camera = rig_camera(document, "rig", (64, 64))
    np.testing.assert_allclose(camera.position, eye, atol=1e-9)


def test_one_looks_and_films_through_a_camera(
    qtbot: QtBot, panel: InspectorPanel, session: Session
) -> None:
    session.editing.run("choose", nodes=["camera"])
    camera = section(panel, CameraSection)
    qtbot.mouseClick(camera.through, LEFT)
    assert session.stage.through == "camera"
    assert camera.through.isChecked()
    qtbot.mouseClick(camera.through, LEFT)
    assert session.stage.through == ""
    qtbot.mouseClick(camera.films, LEFT)
    assert session.editing.document.view_camera == "camera"
    qtbot.mouseClick(camera.films, LEFT)
    assert session.editing.document.view_camera == ""


def test_the_view_is_saved_and_gone_to(panel: InspectorPanel, session: Session) -> None:
    saved = section(panel, ViewSection)
    assert not saved.go.isEnabled()
    before = session.stage.view
    saved._save()
    assert saved.go.isEnabled()
    camera = session.editing.document.camera
    np.testing.assert_allclose(camera.position, before.camera(64, 64).position, atol=1e-6)
    session.look("top")
    saved.go.click()
    there = session.stage.view.camera(64, 64)
    np.testing.assert_allclose(there.position, camera.position, atol=1e-6)


def test_selected_splats_are_worked_on(
    qtbot: QtBot, panel: InspectorPanel, session: Session
) -> None:
    session.editing.run("select_bits", bits={"wall": BitSet.of_indices([1, 2], 20)})
    buttons = section(panel, SelectionSection).buttons
    qtbot.mouseClick(buttons["invert"], LEFT)
    qtbot.waitUntil(lambda: len(session.editing.document.selection["wall"]) == 18)
    qtbot.mouseClick(section(panel, SelectionSection).buttons["delete"], LEFT)
    qtbot.waitUntil(lambda: session.editing.document.node("wall").deleted is not None)
    assert session.editing.document.selection == {}


def test_no_document(panel: InspectorPanel, session: Session) -> None:
    session.stage.set_document(None, None)
    session.editing.open(None)
    assert panel.sections == []
    assert panel.header.name.text() == "Nothing open"


def test_a_mesh_says_its_triangles(panel: InspectorPanel, session: Session) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    mesh = Node("sheet", Mesh(corners, np.array([[0, 1, 2]], np.int32)), id="sheet")
    session.editing.run("add_node", node=mesh)
    assert "1 triangles" in panel.header.detail.text()
