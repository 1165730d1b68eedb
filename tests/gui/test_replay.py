"""What was done in the studio, recorded, makes the same pictures without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

import polyorama as po
from polyorama.cli import main
from polyorama.core.types import Camera
from polyorama.io.formats import write_splats
from polyorama_studio.session import Session
from polyorama_studio.viewport.gizmo import MOVE, Gizmo
from polyorama_studio.window import Window
from tests.gui.fakes import a_cloud
from tests.gui.pointing import CTRL, SHIFT, click, drag
from tests.gui.studio_worker import scene_digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.preferences import Preferences

SIZE = (96, 72)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "thing.splat"
    write_splats(a_cloud(2000), path)
    return path


@pytest.fixture
def window(qtbot: QtBot, preferences: Preferences, capture: Path) -> Iterator[Window]:
    """The studio as it is, with its own files and pictures."""
    session = Session(preferences=preferences)
    session.theme.apply()
    window = Window(session)
    window.resize(900, 640)
    window.show()
    qtbot.waitExposed(window)
    session.open_files([capture])
    qtbot.waitUntil(lambda: session.stage.picture is not None, timeout=120_000)
    qtbot.waitUntil(lambda: session.stage.idle, timeout=120_000)
    yield window
    session.saving.give_up()
    window._leave()
    window.deleteLater()


def settled(qtbot: QtBot, window: Window) -> None:
    session = window.session
    qtbot.waitUntil(lambda: not session.jobs.active and session.stage.idle, timeout=60_000)


def work(qtbot: QtBot, window: Window) -> None:
    """Tools, keys, fields and steps back, as a person does them."""
    viewport, session = window.viewport, window.session
    toolbox = viewport.toolbox
    width, height = viewport.width(), viewport.height()

    def at(x: float, y: float) -> QPointF:
        return QPointF(x * width, y * height)

    toolbox.choose("rect")
    drag(viewport, [at(0.2, 0.2), at(0.5, 0.6)])
    drag(viewport, [at(0.5, 0.5), at(0.7, 0.8)], SHIFT)
    drag(viewport, [at(0.3, 0.3), at(0.4, 0.4)], CTRL)
    toolbox.choose("move")
    settled(qtbot, window)
    held = toolbox.subject.held()
    assert held is not None
    gizmo = Gizmo(viewport.space(), held, MOVE)
    tip, far = (viewport.space().point(gizmo.end(1, share)) for share in (1.0, 1.6))
    assert tip is not None
    assert far is not None
    drag(viewport, [tip, (tip + far) / 2.0, far])
    toolbox.choose("lasso")
    drag(viewport, [at(0.1, 0.1), at(0.5, 0.1), at(0.5, 0.5), at(0.1, 0.5)])
    qtbot.keyClick(viewport, Qt.Key.Key_Delete)
    session.editing.undo()
    toolbox.choose("polygon")
    for corner in (at(0.6, 0.2), at(0.9, 0.2), at(0.9, 0.7)):
        click(viewport, corner)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    session.editing.run("hide")
    settled(qtbot, window)
    for kind in ("grade", "crop"):
        assert session.editing.run("add_modifier", node="thing", kind=kind)
    window.docks.raise_dock("modifiers")
    settled(qtbot, window)
    modifiers = window.docks.panel("modifiers")
    grade = next(card for card in modifiers.cards if card.kind == "grade")
    grade.rows["hue"].field.commit(-70.0)
    grade.rows["strength"].diamond.click()
    session.playback.seek(2.0)
    session.stage.set_view(session.stage.view.orbited(40.0, 10.0), moving=False)
    window.docks.panel("timeline").key_view()
    session.editing.start("select", query="hue in 80..200", mode="set")
    settled(qtbot, window)
    session.editing.run("keep_selection", name="cool")
    session.editing.run("delete")


def test_a_recorded_file_makes_the_same_pixels(
    qtbot: QtBot, window: Window, capture: Path, tmp_path: Path
) -> None:
    work(qtbot, window)
    session = window.session
    bad = [told.notice.text for told in session.told if told.notice.kind == "bad"]
    assert bad == []
    ops, project = tmp_path / "ops.json", tmp_path / "played.poly"
    window.docks.panel("console").save_ops(str(ops))
    qtbot.waitUntil(ops.exists, timeout=30_000)
    assert main(["edit", str(capture), "--script", str(ops), "-o", str(project), "--quiet"]) == 0
    document, played = session.editing.document, po.open(project)
    assert document is not None
    assert scene_digest(played) == scene_digest(document)
    camera = Camera.look_at((0.5, -1.0, -4.0), (0.0, 0.0, 0.0), fov=40.0, size=SIZE)
    for seconds in (0.0, 1.0, 2.0):
        ours = po.render(document, camera, time=seconds, backend="cpu").rgba8
        theirs = po.render(played, camera, time=seconds, backend="cpu").rgba8
        assert np.array_equal(ours, theirs), f"at {seconds} s"
    assert np.ptp(ours) > 50, "the picture is empty"
