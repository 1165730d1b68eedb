"""The timeline's panel, driven as a person would: press, drag, let go, type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Node
from polyorama.scene.properties_of import at_time
from polyorama_studio.orbit import OrbitView
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline.cues import CuePopup
from polyorama_studio.timeline.menus import keys_menu
from polyorama_studio.timeline.panel import TimelinePanel
from tests.gui.pointing import CTRL, LEFT, NONE, SHIFT, click, drag, hover, press, release

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama.scene.timeline import Timeline
    from polyorama_studio.session import Session

ALT = Qt.KeyboardModifier.AltModifier
MIDDLE = Qt.MouseButton.MiddleButton


@pytest.fixture
def panel(qtbot: QtBot, session: Session, tmp_path: Path) -> Iterator[TimelinePanel]:
    """A shown panel with an open document and nothing keyed."""
    panel = TimelinePanel(session)
    panel.resize(1000, 300)
    panel.show()
    qtbot.waitExposed(panel)
    session.open_files([tmp_path / "thing.splat"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    yield panel
    panel.close()
    panel.deleteLater()


@pytest.fixture
def keyed(panel: TimelinePanel) -> TimelinePanel:
    """That panel, with keys at whole seconds on three tracks."""
    editing = panel.state.session.editing
    node = editing.document.nodes[0].id
    for time in (0.0, 1.0, 2.0):
        editing.run("key", path=f"{node}/translation", time=time, value=(time, 0.0, 0.0))
    for time in (1.0, 3.0):
        editing.run("key", path=f"{node}/scale", time=time, value=(1.0, 1.0, 1.0))
    editing.run("key", path="view/fov", time=2.0, value=40.0)
    panel.state.set_snapping(False)
    panel.resize(1000, 320)
    QApplication.processEvents()
    return panel


def timeline(panel: TimelinePanel) -> Timeline:
    return panel.state.session.editing.document.timeline


def path(panel: TimelinePanel, name: str) -> str:
    return f"{panel.state.session.editing.document.nodes[0].id}/{name}"


def times(panel: TimelinePanel, name: str) -> list[float]:
    return [round(key.time, 3) for key in timeline(panel).tracks[path(panel, name)].keys]


def steps(panel: TimelinePanel) -> int:
    return len(panel.state.session.editing.editor.history.commands)


def spot(panel: TimelinePanel, row_id: str, seconds: float) -> QPointF:
    for row, top, height in panel.sheet.places.rows():
        if row.id == row_id:
            return QPointF(panel.state.axis.x(seconds), top + height / 2)
    raise AssertionError(f"no row {row_id}")


def away(panel: TimelinePanel, seconds: float) -> QPointF:
    return QPointF(seconds * panel.state.axis.scale, 0.0)


def drag_key(
    panel: TimelinePanel, name: str, start: float, end: float, modifiers=NONE, **more: bool
) -> None:
    at = spot(panel, path(panel, name), start)
    way = away(panel, end - start)
    drag(panel.sheet, [at, at + way / 2, at + way], modifiers, **more)


# The panel


def test_it_is_a_strip_until_something_is_keyed(qtbot: QtBot, panel: TimelinePanel) -> None:
    assert panel.compact
    assert panel.height() == Metrics.timeline_strip
    assert panel.transport.strip.isVisible()
    assert not panel.sheet.isVisible()
    panel.key_view()
    assert not panel.compact
    assert panel.sheet.isVisible()
    assert not panel.transport.strip.isVisible()


def test_whoever_folds_it_is_obeyed(panel: TimelinePanel) -> None:
    panel.toggle()
    assert not panel.compact
    panel.toggle()
    panel.key_view()
    assert panel.compact


def test_it_belongs_to_the_window(qtbot: QtBot, opened) -> None:
    panel = opened.docks.panel("timeline")
    assert panel.compact
    opened.actions_by_id["timeline.key-view"].trigger()
    assert not panel.compact
    opened.actions_by_id["timeline.frame-on"].trigger()
    assert opened.session.playback.time == pytest.approx(1 / 30)
    opened.actions_by_id["timeline.key-back"].trigger()
    assert opened.session.playback.time == 0.0
    opened.session.editing.undo()


# The sheet


def test_dragging_a_key_is_one_step_and_one_call(keyed: TimelinePanel) -> None:
    before, editor = steps(keyed), keyed.state.session.editing.editor
    drag_key(keyed, "translation", 1.0, 1.5)
    assert times(keyed, "translation") == [0.0, 1.5, 2.0]
    assert steps(keyed) == before + 1
    assert editor.calls[-1].name == "shift_keys"
    assert list(keyed.state.choice) == [path(keyed, "translation")]
    editor.undo()
    assert times(keyed, "translation") == [0.0, 1.0, 2.0]


def test_the_stage_shows_a_drag_before_it_is_let_go(keyed: TimelinePanel) -> None:
    stage, editing = keyed.state.session.stage, keyed.state.session.editing
    document = editing.document
    drag_key(keyed, "translation", 1.0, 1.5, let_go=False)
    assert editing.document is document
    shown = stage.document.timeline.tracks[path(keyed, "translation")]
    assert [round(key.time, 3) for key in shown.keys] == [0.0, 1.5, 2.0]
    QApplication.sendEvent(keyed.sheet, key_event(Qt.Key.Key_Escape))
    assert stage.document is editing.document is document
    release(keyed.sheet, QPointF(500, 50))
    assert editing.document is document


def test_a_drag_snaps_to_frames_and_keys(keyed: TimelinePanel) -> None:
    keyed.state.set_snapping(True)
    drag_key(keyed, "translation", 1.0, 1.517)
    (moved,) = (t for t in times(keyed, "translation") if 1.4 < t < 1.6)
    assert moved == pytest.approx(round(1.517 * 30) / 30, abs=1e-3)
    keyed.state.session.playback.seek(2.503)
    drag_key(keyed, "scale", 1.0, 2.51)
    assert 2.503 in times(keyed, "scale"), "the playhead attracts between frames"


def test_ctrl_copies_and_alt_scales_about_the_playhead(keyed: TimelinePanel) -> None:
    drag_key(keyed, "translation", 1.0, 1.5, CTRL)
    assert times(keyed, "translation") == [0.0, 1.0, 1.5, 2.0]
    keyed.state.session.playback.seek(1.0)
    keyed.state.choose(keyed.state.every_key([path(keyed, "scale")]))
    before = steps(keyed)
    drag_key(keyed, "scale", 3.0, 2.0, ALT)
    assert times(keyed, "scale") == [1.0, 2.0]
    assert steps(keyed) == before + 1


def test_shift_adds_to_what_is_chosen_and_takes_away(keyed: TimelinePanel) -> None:
    first, second = path(keyed, "translation"), path(keyed, "scale")
    click(keyed.sheet, spot(keyed, first, 1.0))
    click(keyed.sheet, spot(keyed, second, 3.0), SHIFT)
    assert keyed.state.choice == {first: {1.0}, second: {3.0}}
    click(keyed.sheet, spot(keyed, first, 1.0), SHIFT)
    assert keyed.state.choice == {second: {3.0}}
    click(keyed.sheet, spot(keyed, first, 2.5))
    assert keyed.state.choice == {}


def test_a_band_chooses_what_is_inside(keyed: TimelinePanel) -> None:
    first, second = path(keyed, "translation"), path(keyed, "scale")
    start = spot(keyed, first, 0.6) - QPointF(0, 6)
    end = spot(keyed, second, 2.4) + QPointF(0, 6)
    drag(keyed.sheet, [start, (start + end) / 2, end])
    assert keyed.state.choice == {first: {1.0, 2.0}, second: {1.0}}


def test_the_summary_stands_for_all_keys_at_a_time(keyed: TimelinePanel) -> None:
    click(keyed.sheet, spot(keyed, "", 1.0))
    assert set(keyed.state.choice) == {path(keyed, "translation"), path(keyed, "scale")}
    at = spot(keyed, "", 1.0)
    drag(keyed.sheet, [at, at + away(keyed, 0.25), at + away(keyed, 0.5)])
    assert times(keyed, "translation") == [0.0, 1.5, 2.0]
    assert times(keyed, "scale") == [1.5, 3.0]


def test_folding_hides_tracks(keyed: TimelinePanel) -> None:
    node = keyed.state.session.editing.document.nodes[0].id
    count = len(keyed.state.rows)
    at = spot(keyed, node, 0.0)
    click(keyed.sheet, QPointF(Metrics.space[2], at.y()))
    assert len(keyed.state.rows) == count - 2


def test_a_double_click_keys_a_row_there(qtbot: QtBot, keyed: TimelinePanel) -> None:
    at = spot(keyed, path(keyed, "scale"), 2.0).toPoint()
    qtbot.mouseDClick(keyed.sheet, Qt.MouseButton.LeftButton, NONE, at)
    assert len(times(keyed, "scale")) == 3
    assert times(keyed, "scale")[1] == pytest.approx(2.0, abs=0.01)


def key_event(key: Qt.Key, modifiers=NONE):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    return QKeyEvent(QEvent.Type.KeyPress, key, modifiers)


def test_the_keyboard_removes_copies_pastes_and_nudges(keyed: TimelinePanel) -> None:
    sheet, playback = keyed.sheet, keyed.state.session.playback
    click(sheet, spot(keyed, path(keyed, "translation"), 1.0))
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_C, CTRL))
    playback.seek(2.5)
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_V, CTRL))
    assert times(keyed, "translation") == [0.0, 1.0, 2.0, 2.5]
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_Right))
    assert times(keyed, "translation")[-1] == pytest.approx(2.533)
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_Delete))
    assert times(keyed, "translation") == [0.0, 1.0, 2.0]
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_A, CTRL))
    assert keyed.state.chosen_count == 6
    QApplication.sendEvent(sheet, key_event(Qt.Key.Key_Delete))
    assert timeline(keyed).tracks == {}


def test_keys_of_the_sheet_come_before_shortcuts_of_the_window(keyed: TimelinePanel) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    for key, modifiers, own in (
        (Qt.Key.Key_C, CTRL, True), (Qt.Key.Key_Delete, NONE, True),
        (Qt.Key.Key_Z, CTRL, False), (Qt.Key.Key_Space, NONE, False),
    ):  # fmt: skip
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
        event.ignore()
        QApplication.sendEvent(keyed.sheet, event)
        assert event.isAccepted() == own


def test_the_menu_changes_interpolation_and_ends(keyed: TimelinePanel) -> None:
    mine = path(keyed, "translation")
    click(keyed.sheet, spot(keyed, mine, 1.0))
    row = keyed.sheet.places.row_at(spot(keyed, mine, 1.0).y())
    menu = keys_menu(keyed.edits, keyed.sheet, row, 1.0)
    entries = {a.data(): a for a in menu.actions() if a.data()}
    assert entries["kind", "smooth"].isChecked()
    entries["kind", "linear"].trigger()
    assert timeline(keyed).tracks[mine].keys[1].interpolation == "linear"
    keyed.sheet.on_menu(entries["remove",])
    assert times(keyed, "translation") == [0.0, 2.0]
    keyed.edits.set_ends((mine,), "loop")
    assert timeline(keyed).tracks[mine].ends == "loop"
    menu.deleteLater()


def test_what_becomes_bezier_looks_as_before(keyed: TimelinePanel) -> None:
    mine = path(keyed, "translation")
    before = [timeline(keyed).tracks[mine].at(t) for t in np.linspace(0, 2, 21)]
    keyed.state.choose(keyed.state.every_key([mine]))
    keyed.edits.interpolate("bezier")
    after = [timeline(keyed).tracks[mine].at(t) for t in np.linspace(0, 2, 21)]
    assert np.allclose(before, after, atol=1e-9)


def test_the_wheel_zooms_at_the_pointer_and_the_middle_button_pans(keyed: TimelinePanel) -> None:
    axis = keyed.state.axis
    at = QPointF(600.0, 40.0)
    here, scale = axis.seconds(600.0), axis.scale
    event = QWheelEvent(
        at, keyed.sheet.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(keyed.sheet, event)
    assert axis.scale > 1.3 * scale
    assert axis.seconds(600.0) == pytest.approx(here)
    start = axis.start
    drag(keyed.sheet, [at, at + QPointF(30, 0), at + QPointF(60, 0)], button=MIDDLE)
    assert axis.start == pytest.approx(start - 60 / axis.scale)
    QApplication.sendEvent(keyed.sheet, key_event(Qt.Key.Key_Home))
    assert axis.start < 0 < 6 < axis.end


def test_ten_thousand_keys_are_moved_beside_the_window(qtbot: QtBot, keyed: TimelinePanel) -> None:
    from polyorama.scene.timeline import Key, Track

    mine = path(keyed, "translation")
    many = Track(tuple(Key(i / 2000, (float(i), 0.0, 0.0), "linear") for i in range(10_000)))
    keyed.state.session.editing.run("set_track", path=mine, track=many)
    keyed.state.choose(keyed.state.every_key([mine]))
    keyed.edits.move(1.0)
    qtbot.waitUntil(lambda: timeline(keyed).tracks[mine].keys[0].time == 1.0)
    assert keyed.state.chosen_count == 10_000
    assert keyed.sheet.grab().toImage().width() > 0


# The ruler


def test_dragging_on_the_ruler_scrubs(keyed: TimelinePanel) -> None:
    axis, playback = keyed.state.axis, keyed.state.session.playback
    press(keyed.ruler, QPointF(axis.x(1.25), 20.0))
    assert playback.time == pytest.approx(1.25, abs=0.01)
    hover(keyed.ruler, QPointF(axis.x(2.5), 20.0))
    assert playback.time == pytest.approx(2.5, abs=0.01)
    assert keyed.state.session.stage.time == playback.time
    release(keyed.ruler, QPointF(axis.x(2.5), 20.0))


def test_cues_are_dragged_and_gone_to(keyed: TimelinePanel) -> None:
    keyed.edits.run("add_cue", time=3.0, name="Bloom", note="slowly")
    axis, playback = keyed.state.axis, keyed.state.session.playback
    flag = QPointF(axis.x(3.0) + 8.0, 6.0)
    click(keyed.ruler, flag)
    assert playback.time == 3.0
    drag(keyed.ruler, [flag, flag + away(keyed, 0.5), flag + away(keyed, 1.0)])
    (cue,) = timeline(keyed).cues
    assert (cue.name, cue.note) == ("Bloom", "slowly")
    assert cue.time == pytest.approx(4.0, abs=0.05)


def test_a_cue_is_renamed_in_one_step(qtbot: QtBot, keyed: TimelinePanel) -> None:
    cue = keyed.edits.add_cue(2.0)
    before = steps(keyed)
    popup = CuePopup(keyed.edits, cue, keyed.ruler)
    popup.name.setText("Bloom")
    popup.note.setPlainText("slowly")
    popup.take()
    (renamed,) = timeline(keyed).cues
    assert (renamed.name, renamed.note, renamed.time) == ("Bloom", "slowly", 2.0)
    assert steps(keyed) == before + 1


def test_a_click_elsewhere_keeps_what_was_typed_for_a_cue(keyed: TimelinePanel) -> None:
    popup = CuePopup(keyed.edits, keyed.edits.add_cue(2.0), keyed.ruler)
    popup.name.setText("Bloom")
    popup.note.setPlainText("slowly")
    popup.close()
    (cue,) = timeline(keyed).cues
    assert (cue.name, cue.note) == ("Bloom", "slowly")


def test_escape_gives_up_what_was_typed_for_a_cue(qtbot: QtBot, keyed: TimelinePanel) -> None:
    popup = CuePopup(keyed.edits, keyed.edits.add_cue(2.0), keyed.ruler)
    popup.note.setPlainText("slowly")
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    (cue,) = timeline(keyed).cues
    assert cue.note == ""


def test_a_cue_never_takes_the_place_of_another(keyed: TimelinePanel) -> None:
    keyed.edits.run("add_cue", time=1.0, name="Bloom", note="slowly")
    popup = CuePopup(keyed.edits, keyed.edits.add_cue(2.0), keyed.ruler)
    popup.show()
    popup.name.setText("Bloom")
    popup.note.setPlainText("again")
    popup.take()
    assert popup.isVisible(), "to be given another name"
    assert keyed.state.session.told[-1].notice.kind == "warn"
    popup.close()
    found = {cue.name: (cue.time, cue.note) for cue in timeline(keyed).cues}
    assert found == {"Bloom": (1.0, "slowly"), "Cue 1": (2.0, "again")}


def test_shift_drags_out_a_range_that_is_played(keyed: TimelinePanel) -> None:
    axis, playback = keyed.state.axis, keyed.state.session.playback
    start = QPointF(axis.x(1.0), 20.0)
    drag(keyed.ruler, [start, start + away(keyed, 1.0), start + away(keyed, 2.0)], SHIFT)
    assert playback.range == pytest.approx((1.0, 3.0), abs=0.05)
    first, last = playback.range
    assert playback.folded(last + 0.5) == pytest.approx(first + 0.5)
    edge = QPointF(axis.x(last), 20.0)
    drag(keyed.ruler, [edge, edge + away(keyed, 0.5), edge + away(keyed, 1.0)])
    assert playback.range == pytest.approx((1.0, 4.0), abs=0.1)
    keyed.state.session.editing.run("set_timeline", loop="ping-pong")
    first, last = playback.range
    assert playback.folded(last + 0.5) == pytest.approx(last - 0.5)


# The transport


def test_time_is_typed_with_arithmetic(keyed: TimelinePanel) -> None:
    field, playback = keyed.transport.fields.time, keyed.state.session.playback
    playback.seek(1.0)
    assert field.value == 1.0
    field.commit(field.value + 1 / 4)
    assert playback.time == 1.25
    keyed.transport.fields.length.commit(9.0)
    assert timeline(keyed).duration == 9.0
    assert keyed.state.session.editing.editor.history.commands[-1].title == "Change the timeline"


def test_frames_and_keys_are_stepped(keyed: TimelinePanel) -> None:
    playback, transport = keyed.state.session.playback, keyed.transport
    found = []
    for button in (transport.key_on, transport.key_on, transport.frame_on, transport.key_back):
        button.click()
        found.append(round(playback.time, 3))
    assert found == [1.0, 2.0, 2.033, 2.0]
    transport.to_start.click()
    assert playback.time == 0.0


def test_playing_is_shown(keyed: TimelinePanel) -> None:
    transport, playback = keyed.transport, keyed.state.session.playback
    transport.play.click()
    assert playback.playing
    assert transport.play.accessibleName() == "Pause"
    transport.play.click()
    assert not playback.playing


# Keying


def test_the_keyed_view_is_shown_as_time_goes(keyed: TimelinePanel) -> None:
    session = keyed.state.session
    first = OrbitView(target=(0.0, 0.0, 0.0), yaw=0.0, pitch=10.0, distance=4.0, fov=50.0)
    second = OrbitView(target=(0.0, 1.0, 0.0), yaw=60.0, pitch=30.0, distance=2.0, fov=30.0)
    for time, view in ((0.0, first), (4.0, second)):
        session.playback.seek(time)
        session.stage.set_view(view, moving=False)
        keyed.key_view()
    assert {"view/eye", "view/target", "view/fov"} <= set(timeline(keyed).tracks)
    session.playback.seek(0.0)
    shown = session.stage.view
    assert np.allclose(shown.eye, first.eye)
    assert (shown.fov, shown.target) == (50.0, first.target)
    session.playback.seek(2.0)
    camera = session.stage.camera(800, 600)
    film = at_time(session.editing.document, 2.0).camera.resized(800, 600)
    assert np.allclose(camera.viewmat, film.viewmat, atol=1e-6), "as a film is seen"
    session.playback.set_follow_view(False)
    session.playback.seek(4.0)
    assert np.allclose(session.stage.camera(800, 600).viewmat, camera.viewmat)


def test_i_keys_the_place_of_what_is_chosen(keyed: TimelinePanel) -> None:
    session = keyed.state.session
    node = session.editing.document.nodes[0].id
    session.editing.run("choose", nodes=(node,))
    session.playback.seek(2.5)
    before = steps(keyed)
    keyed.key_chosen()
    assert steps(keyed) == before + 1
    for name in ("translation", "rotation", "scale"):
        assert 2.5 in times(keyed, name)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("free", {"eye", "target", "fov"}),
        ("orbit", {"target", "azimuth", "elevation", "distance", "fov"}),
        ("dolly", {"travel", "eye", "target"}),
        ("follow", {"eye", "target"}),
    ],
)
def test_i_keys_what_places_a_camera(keyed: TimelinePanel, kind: str, names: set[str]) -> None:
    session = keyed.state.session
    session.editing.run("add_node", node=Node("camera", content=CameraRig(kind=kind)))
    camera = session.editing.document.node("camera").id
    session.editing.run("choose", nodes=(camera,))
    session.playback.seek(1.0)
    keyed.key_chosen()
    tracks = [path for path in timeline(keyed).tracks if path.startswith(f"{camera}/")]
    assert {path.removeprefix(f"{camera}/") for path in tracks} == names
    session.editing.run("key", path=f"{camera}/translation", time=0.0)
    session.playback.seek(2.0)
    keyed.key_chosen()
    moved = timeline(keyed).tracks[f"{camera}/translation"]
    assert [key.time for key in moved.keys] == [0.0, 2.0], "what is keyed goes on being keyed"


def test_what_is_changed_is_keyed_while_that_is_on(keyed: TimelinePanel) -> None:
    session = keyed.state.session
    node, auto = session.editing.document.nodes[0].id, session.playback.auto_key
    session.editing.run("set", path=f"{node}/rotation", value=(0.0, 10.0, 0.0))
    assert f"{node}/rotation" not in timeline(keyed).tracks
    keyed.transport.auto.click()
    assert auto.on
    session.playback.seek(1.5)
    before = steps(keyed)
    with session.editing.gesture("Turn"):
        session.editing.run("set", path=f"{node}/rotation", value=(0.0, 20.0, 0.0))
    (key,) = timeline(keyed).tracks[f"{node}/rotation"].keys
    assert key.time == 1.5
    assert key.value == pytest.approx((0.0, 20.0, 0.0))
    assert steps(keyed) == before + 1
    session.editing.undo()
    assert f"{node}/rotation" not in timeline(keyed).tracks
    session.editing.run("rename", node=node, name="other")
    assert f"{node}/rotation" not in timeline(keyed).tracks


# Curves


@pytest.fixture
def curves(keyed: TimelinePanel) -> TimelinePanel:
    """That panel with the curves of the translation shown."""
    keyed.show_tab("curves")
    keyed.state.choose_tracks((path(keyed, "translation"),))
    QApplication.processEvents()
    return keyed


def test_components_are_curves_of_their_own(curves: TimelinePanel) -> None:
    shown = curves.curves.set.shown()
    assert [curve.title for curve in shown] == ["translation x", "translation y", "translation z"]
    first = shown[0]
    click(curves.curves, QPointF(40.0, Metrics.timeline_row / 2))
    assert [c.title for c in curves.curves.set.shown()] == ["translation y", "translation z"]
    click(curves.curves, QPointF(40.0, Metrics.timeline_row / 2), ALT)
    assert [c.component for c in curves.curves.set.shown()] == [first.component]


def test_a_point_is_dragged_in_time_and_value(curves: TimelinePanel) -> None:
    widget, mine = curves.curves, path(curves, "translation")
    widget.set.toggle(widget.set.all()[0], alone=True)
    before = steps(curves)
    at = widget.set.place(1.0, 1.0)
    end = widget.set.place(1.4, 1.75)
    drag(widget, [at, (at + end) / 2, end])
    key = timeline(curves).tracks[mine].keys[1]
    assert key.time == pytest.approx(1.4, abs=0.02)
    assert key.value == pytest.approx((1.75, 0.0, 0.0), abs=0.03)
    assert steps(curves) == before + 1
    assert curves.state.session.editing.editor.calls[-1].name == "key"


def test_shift_holds_a_point_to_its_time(curves: TimelinePanel) -> None:
    widget, mine = curves.curves, path(curves, "translation")
    widget.set.toggle(widget.set.all()[0], alone=True)
    at = widget.set.place(1.0, 1.0)
    click(widget, at)
    end = at + QPointF(5.0, -40.0)
    press(widget, at)
    for point in ((at + end) / 2, end):
        hover(widget, point, SHIFT)
    release(widget, end, SHIFT)
    key = timeline(curves).tracks[mine].keys[1]
    assert key.time == 1.0
    assert key.value[0] > 1.2


def test_handles_stay_in_line_until_alt_breaks_them(curves: TimelinePanel) -> None:
    widget, mine = curves.curves, path(curves, "translation")
    widget.set.toggle(widget.set.all()[0], alone=True)
    curves.state.choose(curves.state.every_key([mine]))
    curves.edits.interpolate("bezier")
    widget.set.choose({mine: {1.0: {0}}})
    handles = {h.side: h for h in widget.set.handles()}
    assert set(handles) == {"before", "after"}
    at = widget.set.handle_place(handles["after"])
    drag(widget, [at, at + QPointF(0, -20), at + QPointF(10, -40)])
    key = timeline(curves).tracks[mine].keys[1]
    assert key.after[1] / key.after[0] == pytest.approx(key.before[1] / key.before[0])
    assert key.after[1] > 0.35
    at = widget.set.handle_place({h.side: h for h in widget.set.handles()}["after"])
    drag(widget, [at, at + QPointF(0, 20), at + QPointF(0, 60)], ALT)
    broken = timeline(curves).tracks[mine].keys[1]
    assert broken.before == key.before
    assert broken.after[1] < key.after[1]


def test_values_stay_inside_the_bounds_of_their_property(curves: TimelinePanel) -> None:
    widget = curves.curves
    curves.state.choose_tracks(("view/fov",))
    at = widget.set.place(2.0, 40.0)
    drag(widget, [at, at + QPointF(0, 400), at + QPointF(0, 4000)])
    assert timeline(curves).tracks["view/fov"].keys[0].value == (1.0,)


def test_curves_are_painted_however_tracks_end(curves: TimelinePanel) -> None:
    mine = path(curves, "translation")
    pictures = []
    for ends in ("hold", "loop", "ping-pong"):
        curves.edits.set_ends((mine,), ends)
        pictures.append(curves.curves.grab().toImage())
    assert pictures[0] != pictures[1] != pictures[2]


@pytest.mark.parametrize("which", ["length", "fps"])
def test_escape_takes_the_drag_of_a_field_back(
    qtbot: QtBot, keyed: TimelinePanel, which: str
) -> None:
    field, before, count = getattr(keyed.transport.fields, which), timeline(keyed), steps(keyed)
    press(field, QPointF(20.0, 10.0))
    for x in (30.0, 60.0, 90.0):
        hover(field, QPointF(x, 10.0), NONE, LEFT)
    assert timeline(keyed) != before
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    release(field, QPointF(90.0, 10.0))
    assert timeline(keyed) == before
    editing = keyed.state.session.editing
    editing.run("rename", node="thing", name="a")
    editing.run("rename", node="a", name="b")
    assert steps(keyed) == count + 2, "what comes later is no part of the drag"


def test_escape_brings_the_playhead_back(qtbot: QtBot, keyed: TimelinePanel) -> None:
    playback, field = keyed.state.session.playback, keyed.transport.fields.time
    playback.seek(1.0)
    press(field, QPointF(20.0, 10.0))
    for x in (30.0, 60.0, 90.0):
        hover(field, QPointF(x, 10.0), NONE, LEFT)
    assert playback.time != 1.0
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert playback.time == 1.0


def test_another_button_leaves_a_drag_alone(keyed: TimelinePanel) -> None:
    sheet, before = keyed.sheet, times(keyed, "translation")
    at, way = spot(keyed, path(keyed, "translation"), 1.0), away(keyed, 0.5)
    press(sheet, at)
    hover(sheet, at + way, NONE, LEFT)
    press(sheet, at + way, NONE, MIDDLE, held=LEFT)
    release(sheet, at + way, NONE, MIDDLE, held=LEFT)
    assert keyed.state.dragging
    assert times(keyed, "translation") == before
    release(sheet, at + way)
    assert not keyed.state.dragging
    assert times(keyed, "translation") == pytest.approx([0.0, 1.5, 2.0], abs=0.02)
    axis, playback = keyed.state.axis, keyed.state.session.playback
    press(keyed.ruler, QPointF(axis.x(1.0), 20.0))
    press(keyed.ruler, QPointF(axis.x(1.0), 20.0), NONE, MIDDLE, held=LEFT)
    release(keyed.ruler, QPointF(axis.x(1.0), 20.0), NONE, MIDDLE, held=LEFT)
    hover(keyed.ruler, QPointF(axis.x(2.0), 20.0), NONE, LEFT)
    assert playback.time == pytest.approx(2.0, abs=0.02)
    release(keyed.ruler, QPointF(axis.x(2.0), 20.0))
