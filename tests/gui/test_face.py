"""The Face workspace: a voice goes in, phones are moved, emotions drawn, takes comped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from polyorama.render.resolve import resolve
from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.face import workspace as workspace_module
from polyorama_studio.workspaces.face.phones import edges
from polyorama_studio.workspaces.face.scripts import emotion_at
from polyorama_studio.workspaces.face.workspace import FaceWorkspace
from tests.gui.face_fakes import FakeWorks, a_voice
from tests.gui.pointing import SHIFT, click, drag, hover, press, release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama.core.types import Camera
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.score import Score

_LONG = 90_000


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> FakeWorks:
    works = FakeWorks()
    monkeypatch.setattr(workspace_module, "make_works", lambda: works)
    # Covering a face with surfels is the engine's, and takes longer than all of this.
    monkeypatch.setattr("polyorama_studio.rendering.resolve", _nothing_in)
    return works


def _nothing_in(document: Document, camera: Camera, *, background: object, **others: object):
    return resolve(Document(), camera, background=background)


@pytest.fixture
def face(qtbot: QtBot, session: Session, works: FakeWorks) -> Iterator[FaceWorkspace]:
    face = FaceWorkspace(session)
    face.resize(1440, 840)
    face.show()
    qtbot.waitExposed(face)
    qtbot.waitUntil(lambda: face.desk.rig is not None, timeout=_LONG)
    yield face
    face.hide()
    face.deleteLater()


@pytest.fixture
def spoken(qtbot: QtBot, face: FaceWorkspace) -> FaceWorkspace:
    face.desk.open_voice(Path("hello.wav"))
    _calm(qtbot, face.desk)
    assert face.desk.speaks
    return face


def _calm(qtbot: QtBot, desk: Desk) -> None:
    def calm() -> bool:
        return not desk.working and not desk.listening and not desk.session.jobs.active

    qtbot.waitUntil(calm, timeout=_LONG)


def _steps(face: FaceWorkspace) -> int:
    editor = face.session.editing.editor
    return 0 if editor is None else editor.history.position


def _actor(face: FaceWorkspace) -> Actor:
    document = face.session.editing.document
    assert document is not None
    content = document.node(face.desk.node).content
    assert isinstance(content, Actor)
    return content


def _edge_at(score: Score, index: int) -> QPointF:
    phone = score.desk.script.phones.phones[index]
    return QPointF(score.axis.x(phone.end), score.phones.box.center().y())


# A voice


def test_the_empty_face_invites_and_a_dropped_voice_is_one_step(
    qtbot: QtBot, face: FaceWorkspace, works: FakeWorks, tmp_path: Path
) -> None:
    assert face.portrait.welcome.isVisible()
    assert face.session.editing.document is None
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "hello.wav"))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    face.portrait.dropEvent(
        QDropEvent(QPointF(9.0, 9.0), Qt.DropAction.CopyAction, data, buttons, keys)
    )
    _calm(qtbot, face.desk)
    actor = _actor(face)
    assert actor.script is not None
    assert actor.script.transcript == "my boat is blue"
    assert actor.performance is face.desk.performance
    assert not face.portrait.welcome.isVisible()
    assert _steps(face) == 1
    document = face.session.editing.document
    assert document is not None
    assert document.timeline.duration == pytest.approx(actor.script.seconds, abs=2e-3)
    assert works.threads
    assert not {QApplication.instance().thread()} & works.threads


def test_undo_takes_the_voice_back_and_redo_needs_no_engine(
    qtbot: QtBot, spoken: FaceWorkspace, works: FakeWorks
) -> None:
    asked = len(works.scripts)
    spoken.session.editing.undo()
    assert not spoken.desk.speaks
    assert spoken.desk.node == ""
    spoken.session.editing.redo()
    _calm(qtbot, spoken.desk)
    assert spoken.desk.take is not None
    assert len(works.scripts) == asked


def test_the_voice_of_a_scene_is_taken_over_in_one_step(qtbot: QtBot, face: FaceWorkspace) -> None:
    assert face.portrait.welcome.scene.isHidden()
    sound = Audio(samples=np.zeros((16000, 1), np.float32), rate=16000)
    face.session.opening.new()
    face.session.editing.run("add_node", node=Node("greeting.wav", content=sound, id="voice"))
    assert face.portrait.welcome.scene.isVisible()
    assert "greeting" in face.portrait.welcome.scene.text()
    before = _steps(face)
    face.portrait.welcome.scene.click()
    _calm(qtbot, face.desk)
    document = face.session.editing.document
    assert document is not None
    assert not document.node("voice").visible
    assert _actor(face).script.sound.samples is sound.samples
    assert _steps(face) == before + 1
    face.session.editing.undo()
    assert face.session.editing.document.node("voice").visible


def test_a_feeling_that_comes_with_a_voice_is_keyed(qtbot: QtBot, face: FaceWorkspace) -> None:
    feeling = (0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 0.0, 0.0)
    face.desk._on_voice("", replace(a_voice("hello.wav"), feeling=feeling))
    _calm(qtbot, face.desk)
    assert face.desk.script.emotion == "keyed"
    assert face.desk.script.emotion_keys[0].weights == feeling


def test_a_damaged_voice_is_told_and_changes_nothing(qtbot: QtBot, face: FaceWorkspace) -> None:
    face.desk.open_voice(Path("broken.wav"))
    _calm(qtbot, face.desk)
    assert face.session.editing.document is None
    assert "damaged" in face.session.told[-1].notice.text


def test_what_the_engine_says_of_a_voice_is_shown(
    qtbot: QtBot, face: FaceWorkspace, works: FakeWorks
) -> None:
    works.deaf = "Nothing is said in this sound."
    face.desk.open_voice(Path("hum.wav"))
    _calm(qtbot, face.desk)
    assert works.deaf in [told.notice.text for told in face.session.told]
    assert face.desk.speaks


def test_a_file_of_no_use_is_told(face: FaceWorkspace) -> None:
    face.open_path(Path("letter.txt"))
    assert "letter.txt" in face.session.told[-1].notice.text


def test_the_transcript_is_aligned(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    spoken.bar.transcript.setText("my coat is new")
    QTest.keyClick(spoken.bar.transcript, Qt.Key.Key_Return)
    _calm(qtbot, spoken.desk)
    assert spoken.desk.script.transcript == "my coat is new"
    assert _steps(spoken) == 2


def test_the_models_results_say_what_it_learned_from(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    assert "synthetic speech" in spoken.portrait.learned_from
    spoken.desk.change("By rules", source="rules")
    _calm(qtbot, spoken.desk)
    assert spoken.portrait.learned_from == ""


# Phones


def test_an_edge_is_dragged_in_one_step_and_the_curves_follow_at_once(
    qtbot: QtBot, spoken: FaceWorkspace, works: FakeWorks
) -> None:
    score, before = spoken.score, spoken.desk.script
    start = _edge_at(score, 2)
    asked = len(works.scripts)
    press(score, start)
    hover(score, start + QPointF(12.0, 0.0), button=Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(works.scripts) > asked, timeout=_LONG)
    assert _actor(spoken).script is before  # the document waits for the hand
    hover(score, start + QPointF(20.0, 0.0), button=Qt.MouseButton.LeftButton)
    release(score, start + QPointF(20.0, 0.0))
    _calm(qtbot, spoken.desk)
    moved = spoken.desk.script.phones.phones
    assert moved[2].end > before.phones.phones[2].end + 0.02
    assert moved[3].start == moved[2].end
    assert _steps(spoken) == 2
    assert _actor(spoken).performance is spoken.desk.performance
    assert any("move_edge" in line for line in spoken.session.python)
    spoken.session.editing.undo()
    assert spoken.desk.script.phones == before.phones


def test_escape_gives_a_drag_up(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    score, before = spoken.score, spoken.desk.script
    start = _edge_at(score, 2)
    drag(score, [start, start + QPointF(15.0, 0.0)], let_go=False)
    assert spoken.desk.script is not before
    QTest.keyClick(score, Qt.Key.Key_Escape)
    _calm(qtbot, spoken.desk)
    assert spoken.desk.script is before
    assert _steps(spoken) == 1


def test_phones_are_chosen_typed_split_merged_and_removed_with_keys(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    score, lane = spoken.score, spoken.score.phones
    count = len(lane.track.phones)
    score.setFocus()
    score.current = lane
    lane.current = 1
    QTest.keyClick(score, Qt.Key.Key_Right)
    assert lane.current == 2
    QTest.keyClick(score, Qt.Key.Key_S)
    assert len(lane.track.phones) == count + 1
    QTest.keyClick(score, Qt.Key.Key_M)
    assert len(lane.track.phones) == count
    QTest.keyClick(score, Qt.Key.Key_Return)
    edit = score.findChild(workspace_module.QWidget, "inPlace")
    assert edit is not None
    QTest.keyClicks(edit, "ey")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert lane.track.phones[2].symbol == "EY"
    assert not edit.isVisible()
    QTest.keyClick(score, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(score, Qt.Key.Key_Delete)
    assert len(lane.track.phones) == count - 1
    _calm(qtbot, spoken.desk)
    assert _steps(spoken) == 6


def test_what_is_under_the_pointer_is_found_among_many_as_among_few(spoken: FaceWorkspace) -> None:
    score, lane = spoken.score, spoken.score.phones
    phones = lane.track.phones
    for first, last in ((0.0, 1.81), (0.5, 0.9), (-0.4, 0.1), (1.7, 2.4)):
        score.axis.show(first, last)
        boxes = [lane.place(phone) for phone in phones]
        seen = set(lane._seen())
        within = {k for k, b in enumerate(boxes) if b.right() > lane.box.left()
                  and b.left() < lane.box.right()}  # fmt: skip
        assert within <= seen
        for x in np.linspace(lane.box.left(), lane.box.right(), 57):
            time = score.axis.seconds(float(x))
            there = [k for k, p in enumerate(phones) if p.start <= time < p.end]
            assert lane.at(float(x)) == (there[0] if there else -1)
            gaps = [abs(score.axis.x(edge.time) - x) for edge in edges(lane.track)]
            edge = lane.edge_at(float(x))
            assert (edge is None) == (min(gaps) > Metrics.face_grip)
            if edge is not None:
                assert abs(score.axis.x(edge.time) - x) == min(gaps)


def test_a_symbol_that_is_none_is_told(spoken: FaceWorkspace) -> None:
    lane = spoken.score.phones
    lane.current = 2
    lane.set_symbol("XYZ")
    assert "XYZ" in spoken.session.told[-1].notice.text
    assert lane.track.phones[2].symbol == "AY"


# Channels and curves


def _bar(face: FaceWorkspace, channel: str):
    rows = face.channels.list
    row = next(r for r in rows.rows() if r.channel == channel)
    return rows.bar(row)


def test_a_bar_keys_its_channel_at_the_playhead(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    spoken.session.playback.seek(0.5)
    bar = _bar(spoken, "browInnerUp")
    middle = bar.center().y()
    drag(spoken.channels.list, [QPointF(bar.left() + f * bar.width(), middle) for f in (0.2, 0.5)])
    _calm(qtbot, spoken.desk)
    keys = spoken.desk.script.keys[0]
    assert keys.channel == "browInnerUp"
    assert keys.times == (0.5,)
    assert keys.values[0] == pytest.approx(0.5, abs=0.02)
    assert "browInnerUp" in spoken.desk.chosen
    assert _steps(spoken) == 2


def test_keys_of_a_curve_are_dragged_and_removed(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    desk, score, lane = spoken.desk, spoken.score, spoken.score.curves
    desk.choose(("jawOpen",))
    at = QPointF(score.axis.x(0.8), lane._y("jawOpen", 0.7))
    QTest.mouseDClick(score, Qt.MouseButton.LeftButton, pos=at.toPoint())
    _calm(qtbot, desk)
    (keys,) = desk.script.keys
    there = QPointF(score.axis.x(keys.times[0]), lane._y("jawOpen", keys.values[0]))
    drag(score, [there, there + QPointF(20.0, 15.0), there + QPointF(40.0, 20.0)])
    _calm(qtbot, desk)
    (moved,) = desk.script.keys
    assert moved.times[0] > keys.times[0]
    assert moved.values[0] < keys.values[0]
    assert _steps(spoken) == 3
    score.setFocus()
    QTest.keyClick(score, Qt.Key.Key_Delete)
    assert desk.script.keys == ()


def test_an_owner_is_exclusive_and_conflicts_are_marked(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    rows = spoken.channels.list
    rows.set_owner("mouth", "rules")
    rows.set_owner("mouth", "model")
    assert [(o.target, o.source) for o in spoken.desk.script.owners] == [("mouth", "model")]
    rows.set_owner("mouth", "")
    assert spoken.desk.script.owners == ()
    script = replace(spoken.desk.script, tracker=np.zeros((4, 55), np.float32))
    spoken.desk.edit("Track", script)
    rows.set_owner("jawOpen", "tracker")
    spoken.session.playback.seek(0.5)
    spoken.score.curves._set("jawOpen", 0.5, 0.3)
    assert "jawOpen" in rows.conflicts
    _calm(qtbot, spoken.desk)


def test_a_region_that_stands_alone_is_all_that_is_seen(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    spoken.channels.list.toggle_solo("jaw")
    spoken.portrait.refresh()
    shown = spoken.portrait.stage.document.node("face").content
    assert shown.performance.weights[:, CHANNEL_INDEX["jawOpen"]].any()
    assert not shown.performance.weights[:, CHANNEL_INDEX["eyeBlinkLeft"]].any()
    assert _steps(spoken) == 1  # looking is no step
    spoken.channels.all.click()
    assert spoken.desk.solo == frozenset()


def test_channels_are_reached_and_keyed_without_a_pointer(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    rows = spoken.channels.list
    rows.setFocus()
    rows.current = "jaw"
    QTest.keyClick(rows, Qt.Key.Key_Down)
    assert rows.current == "jawForward"
    QTest.keyClick(rows, Qt.Key.Key_Right)
    assert spoken.desk.script.keys[0].channel == "jawForward"
    QTest.keyClick(rows, Qt.Key.Key_Space)
    assert "jawForward" in spoken.desk.chosen
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert spoken.desk.script.keys == ()
    spoken.channels.search.setText("smile")
    assert {r.channel for r in rows.rows() if r.channel} == {"mouthSmileLeft", "mouthSmileRight"}
    _calm(qtbot, spoken.desk)


# Emotion


def test_a_slider_keys_an_emotion_where_the_playhead_is(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    spoken.session.playback.seek(0.4)
    sad = EMOTIONS.index("sad")
    spoken.side.feelings.fields[sad].commit(0.8)
    _calm(qtbot, spoken.desk)
    script = spoken.desk.script
    assert script.emotion == "keyed"
    felt = emotion_at(script, 0.4)
    assert felt[sad] == pytest.approx(0.8)
    assert sum(felt) <= 1.0 + 1e-6
    assert spoken.side.feelings.source.value == "keyed"


def test_a_path_on_the_map_becomes_keys(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    area = spoken.side.map
    qtbot.waitUntil(lambda: area.plan is not None and area.places is not None, timeout=_LONG)
    spoken.session.playback.seek(0.0)
    middle = QPointF(area.rect().center())
    drag(area, [middle + QPointF(8.0 * k, 3.0 * k) for k in range(10)])
    qtbot.waitUntil(lambda: spoken.desk.script.emotion == "keyed", timeout=_LONG)
    _calm(qtbot, spoken.desk)
    keys = spoken.desk.script.emotion_keys
    assert len(keys) > 4
    assert keys[0].time == 0.0
    assert keys[-1].time == pytest.approx(spoken.desk.seconds, abs=0.02)
    assert keys[0].weights != keys[-1].weights
    assert _steps(spoken) == 2


def test_the_playhead_has_its_place_on_the_map(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    from polyorama_studio.workspaces.face.emotion_map import along

    trail = np.array([[0.0, 0.0], [1.0, 0.5]], np.float32)
    assert along(trail, 0.5) == pytest.approx((0.5, 0.25))
    assert along(trail, 2.0) == pytest.approx((1.0, 0.5))


def test_another_clip_lends_its_emotion(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    feelings = spoken.side.feelings
    feelings.source.choose("swapped")
    assert feelings.swap.isVisible()
    assert spoken.desk.script.emotion == "detected"  # until there is something to swap with
    feelings.swap_with(Path("angry.wav"))
    _calm(qtbot, spoken.desk)
    script = spoken.desk.script
    assert (script.emotion, script.emotion_name) == ("swapped", "angry.wav")
    assert _steps(spoken) == 2


def test_keys_of_emotion_are_dragged_along_time(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    score, lane = spoken.score, spoken.score.emotion
    lane.add_key(0.5)
    at = QPointF(score.axis.x(0.5), lane.box.bottom() - 6.0)
    drag(score, [at, at + QPointF(30.0, 0.0)])
    _calm(qtbot, spoken.desk)
    (key,) = spoken.desk.script.emotion_keys
    assert key.time > 0.5
    score.setFocus()
    QTest.keyClick(score, Qt.Key.Key_Delete)
    assert spoken.desk.script.emotion_keys == ()


# Takes


def test_takes_are_tried_drawn_chosen_and_comped(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    takes, sheet = spoken.takes, spoken.takes.sheet
    takes.count.commit(4.0)
    takes.make.click()
    qtbot.waitUntil(lambda: len(takes.sampler.takes) == 4, timeout=_LONG)
    qtbot.waitUntil(lambda: all(t.image for t in takes.sampler.takes), timeout=_LONG)
    assert [t.seed for t in takes.sampler.takes] == [0, 1, 2, 3]
    assert _steps(spoken) == 1  # trying is no step
    line = sheet.line(2)
    y = line.center().y()
    drag(sheet, [QPointF(line.left() + f * line.width(), y) for f in (0.25, 0.4, 0.5)])
    _calm(qtbot, spoken.desk)
    (span,) = spoken.desk.script.comp
    assert (span.region, span.seed) == ("mouth", 2)
    assert span.start == pytest.approx(0.25 * spoken.desk.seconds, abs=0.05)
    assert spoken.score.spans.shown
    sheet.take(3)
    _calm(qtbot, spoken.desk)
    assert spoken.desk.script.seed == 3
    assert _steps(spoken) == 3
    box = spoken.score.spans._boxes()[0][1]
    click(spoken.score, box.center())
    spoken.score.setFocus()
    QTest.keyClick(spoken.score, Qt.Key.Key_Delete)
    assert spoken.desk.script.comp == ()


# Style, source, face


def test_a_slider_of_style_is_one_step_however_far_it_is_dragged(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    field = spoken.side.style.fields["jaw"]
    middle = QPointF(field.rect().center())
    drag(field, [middle + QPointF(4.0 * k, 0.0) for k in range(8)])
    _calm(qtbot, spoken.desk)
    assert spoken.desk.script.style.jaw > 1.0
    assert _steps(spoken) == 2
    assert any("replace(script.style, jaw=" in line for line in spoken.session.python)


def test_source_and_speaker_are_the_scripts_own(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    moving = spoken.side.moving
    moving.source.choose("mix")
    moving.fields["speaker"].commit(3.0)
    assert moving.fields["mix"].isVisibleTo(moving)
    _calm(qtbot, spoken.desk)
    assert (spoken.desk.script.source, spoken.desk.script.speaker) == ("mix", 3)


def test_the_puppet_is_shaped_and_a_face_of_a_file_takes_its_place(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    rig = spoken.desk.rig
    spoken.side.rig.form.fields["width"].commit(0.5)
    _calm(qtbot, spoken.desk)
    assert _actor(spoken).rig is not rig
    assert _steps(spoken) == 2
    assert dict(_actor(spoken).identity) == {"width": 0.5, "hair": "mop"}
    spoken.session.editing.undo()
    assert spoken.side.rig.form.fields["width"].value == 0.0
    spoken.session.editing.redo()
    assert spoken.side.rig.form.fields["width"].value == 0.5
    spoken.open_path(Path("hero.glb"))
    _calm(qtbot, spoken.desk)
    assert _actor(spoken).rig.name == "hero"
    assert _actor(spoken).identity is None
    assert not spoken.side.rig.looks.isVisible()
    assert _actor(spoken).script is spoken.desk.script  # what it says stays
    spoken.open_path(Path("broken.glb"))
    _calm(qtbot, spoken.desk)
    assert "no face" in spoken.session.told[-1].notice.text
    assert _actor(spoken).rig.name == "hero"


def test_a_late_answer_for_what_was_changed_again_is_dropped(
    qtbot: QtBot, spoken: FaceWorkspace, works: FakeWorks
) -> None:
    works.gate.clear()
    spoken.desk.change("One", seed=5)
    spoken.desk.change("Other", seed=6)
    works.gate.set()
    _calm(qtbot, spoken.desk)
    assert spoken.desk.take is not None
    assert spoken.desk.take.provenance.seed == 6
    assert _actor(spoken).performance is spoken.desk.performance
    assert _steps(spoken) == 3


def test_what_is_under_way_does_not_follow_into_another_project(
    qtbot: QtBot, spoken: FaceWorkspace, works: FakeWorks
) -> None:
    works.gate.clear()
    spoken.desk.change("One", seed=5)
    spoken.desk.open_voice(Path("other.wav"))
    spoken.session.saving.give_up()
    spoken.session.opening.new()
    works.gate.set()
    _calm(qtbot, spoken.desk)
    assert not spoken.desk.speaks
    assert spoken.desk.take is None
    assert _steps(spoken) == 0
    assert spoken.session.busy is None


def test_a_face_that_is_removed_and_brought_back_says_what_it_said(
    qtbot: QtBot, spoken: FaceWorkspace
) -> None:
    node, said = spoken.desk.node, spoken.desk.script
    spoken.session.editing.run("remove", nodes=[node])
    assert not spoken.desk.speaks
    assert spoken.portrait.welcome.isVisible()
    spoken.session.editing.undo()
    _calm(qtbot, spoken.desk)
    assert spoken.desk.node == node
    assert spoken.desk.script is said


# Looking and playing


def test_a_double_click_resets_the_view(qtbot: QtBot, spoken: FaceWorkspace) -> None:
    stage = spoken.portrait.stage
    home = stage.view
    drag(spoken.portrait, [QPointF(100.0, 100.0), QPointF(160.0, 120.0)])
    assert stage.view.yaw != home.yaw
    QTest.mouseDClick(spoken.portrait, Qt.MouseButton.LeftButton)
    assert stage.view == home


def test_moving_pictures_have_fewer_surfels_and_no_holes(
    qtbot: QtBot, spoken: FaceWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = spoken.portrait.stage
    asked: list = []
    monkeypatch.setattr(stage._channel, "submit", asked.append)
    spoken.session.playback.scrub(0.4)
    spoken.session.playback.seek(0.6)
    assert asked[0].disguise is stage.coarse
    assert asked[0].limit is None
    assert asked[-1].disguise is None


def test_the_ruler_seeks_and_loops_a_part(spoken: FaceWorkspace) -> None:
    score, playback = spoken.score, spoken.session.playback
    at = QPointF(score.axis.x(0.75), 8.0)
    click(score, at)
    assert playback.time == pytest.approx(0.75, abs=0.01)
    drag(score, [QPointF(score.axis.x(t), 8.0) for t in (0.4, 0.6, 0.9)], SHIFT)
    assert playback.range is not None
    assert playback.range == pytest.approx((0.4, 0.9), abs=0.01)


def test_an_export_goes_beside_the_window(
    qtbot: QtBot, spoken: FaceWorkspace, works: FakeWorks, tmp_path: Path
) -> None:
    spoken.export(tmp_path / "take.npz", "npz")
    qtbot.waitUntil(lambda: bool(works.exported), timeout=_LONG)
    _calm(qtbot, spoken.desk)
    assert (tmp_path / "take.npz").is_file()
    assert "take.npz" in spoken.session.told[-1].notice.text


# Live


def test_live_shows_its_latency_and_records_to_the_timeline(
    qtbot: QtBot, face: FaceWorkspace, works: FakeWorks
) -> None:
    face.bar.pad.choose("live")
    live = face.live
    qtbot.waitUntil(lambda: live.device.value == "0", timeout=_LONG)
    live.record.click()
    qtbot.waitUntil(lambda: live.running and face.desk.live_weights is not None, timeout=_LONG)
    qtbot.waitUntil(lambda: live.latency.figures is not None, timeout=_LONG)
    assert works.line is not None
    assert works.line.recording
    assert works.may_rescan()
    assert live.lost.text() == "No block lost"
    qtbot.waitUntil(lambda: works.line is not None and works.line.seen > 0, timeout=_LONG)
    assert not face.portrait.welcome.isVisible()
    works.line.state, works.line.lost = "waiting", 2
    qtbot.waitUntil(lambda: "waiting" in live.note.text(), timeout=_LONG)
    assert live.lost.text() == "2 blocks lost"
    live.record.click()
    qtbot.waitUntil(lambda: works.line is not None and works.line.closed, timeout=_LONG)
    _calm(qtbot, face.desk)
    assert face.desk.live_weights is None
    assert _actor(face).script.transcript == "my boat is blue"


def test_without_a_microphone_it_says_so(
    qtbot: QtBot, face: FaceWorkspace, works: FakeWorks
) -> None:
    works.no_devices = True
    face.show_pad("live")
    qtbot.waitUntil(lambda: "No microphone" in face.live.note.text(), timeout=_LONG)
    assert not face.live.start.isEnabled()
    works.no_devices = False
    face.live.look.click()
    qtbot.waitUntil(face.live.start.isEnabled, timeout=_LONG)


def test_the_tab_shows_the_face_and_leaving_it_ends_what_is_live(
    qtbot: QtBot, window: Window, works: FakeWorks
) -> None:
    tab = next(tab for tab in window.workspaces.tabs if tab.text() == "Face")
    tab.click()
    face = window.workspaces.make("face")
    assert isinstance(face, FaceWorkspace)
    assert window.session.stage.resting
    assert window.menus._by_id["face"].menuAction().isVisible()
    qtbot.waitUntil(lambda: window._status._name.text() == "Egg", timeout=_LONG)
    face.desk.open_voice(Path("hello.wav"))
    _calm(qtbot, face.desk)
    assert "12 phones" in window._status._splats.text()
    assert "take 0" in window._status._quality.text()
    window.actions_by_id["face.play"].trigger()
    assert window.session.playback.playing
    face.show_pad("live")
    qtbot.waitUntil(lambda: face.live.start.isEnabled(), timeout=_LONG)
    face.live.start.click()
    qtbot.waitUntil(lambda: face.live.running, timeout=_LONG)
    window.workspaces.show_workspace("scene")
    qtbot.waitUntil(lambda: works.line is not None and works.line.closed, timeout=_LONG)
    assert not window.session.stage.resting
    assert face.portrait.stage.resting
    window.session.saving.give_up()
