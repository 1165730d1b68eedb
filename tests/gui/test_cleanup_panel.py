"""The clean-up panel: a heat map and a count first, a change only when asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt

from polyorama.scene.document import Document
from polyorama.verbs.cleanup import TOOLS
from polyorama_studio.linked_stage import LinkedStage
from polyorama_studio.panels.cleanup import CleanUpPanel
from polyorama_studio.plots import heat_ramp
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.panels.cleanup_card import ToolCard
    from polyorama_studio.session import Session
    from tests.gui.fakes import FakeRasterizer

FAINT = 40


def a_document() -> Document:
    cloud = a_cloud()
    opacities = cloud.opacities.copy()
    opacities[:FAINT] = np.linspace(0.001, 0.04, FAINT)
    return Document.of([replace(cloud, opacities=opacities)], ["thing"])


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> Iterator[CleanUpPanel]:
    panel = CleanUpPanel(session)
    panel.resize(250, 700)
    panel.show()
    qtbot.waitExposed(panel)
    document = a_document()
    session.stage.set_size(200, 150)
    session.stage.set_document(document, None)
    session.editing.open(document)
    yield panel
    rest(qtbot, panel)
    panel.close()
    panel.deleteLater()


def rest(qtbot: QtBot, panel: CleanUpPanel) -> None:
    session = panel._session
    qtbot.waitUntil(
        lambda: not panel.preview.busy and not session.jobs.active and session.stage.idle,
        timeout=20_000,
    )


def opened(qtbot: QtBot, panel: CleanUpPanel, kind: str = "faint") -> ToolCard:
    card = panel.cards[kind]
    card.head.click()
    rest(qtbot, panel)
    return card


def expected(threshold: float) -> int:
    return int((np.linspace(0.001, 0.04, FAINT).astype(np.float32) <= threshold).sum())


def test_every_tool_has_a_card(panel: CleanUpPanel) -> None:
    assert list(panel.cards) == list(TOOLS)
    assert not any(card.head.isChecked() for card in panel.cards.values())


def test_opening_a_card_shows_the_heat_map_and_changes_nothing(
    qtbot: QtBot, panel: CleanUpPanel, rasterizer: FakeRasterizer
) -> None:
    session = panel._session
    before = session.editing.document
    card = opened(qtbot, panel)
    assert card.counts.text() == f"{expected(0.02)} of 400 splats would go"
    assert session.editing.document is before
    assert session.stage.document is before
    assert not session.editing.editor.history.commands
    drawn = rasterizer.states[-1].gaussians.cloud
    ramp = heat_ramp()
    assert np.abs(drawn.colors[0] - ramp[-1]).max() < 0.02, "the faintest is the hottest"
    assert card.remove.isEnabled()
    card.head.click()
    rest(qtbot, panel)
    assert session.stage.disguise is None
    assert np.array_equal(rasterizer.states[-1].gaussians.cloud.sh, before.nodes[0].splats.sh)


def test_what_stays_is_grey_and_what_would_go_glows() -> None:
    ramp = heat_ramp()
    colorful = ramp.max(axis=1) - ramp.min(axis=1)
    assert colorful[:100].max() < 0.12
    assert colorful[140:220].min() > 0.4
    # Dark splats keep half of it.
    assert 0.5 * ramp.mean(axis=1)[:128].min() > 0.2


def test_the_count_follows_the_slider(qtbot: QtBot, panel: CleanUpPanel) -> None:
    card = opened(qtbot, panel)
    card.slider.setSliderDown(True)
    card.slider.setValue(250)
    rest(qtbot, panel)
    assert panel.preview.found.count == expected(card.threshold) < expected(0.02)
    card.slider.setValue(620)
    card.slider.setSliderDown(False)
    rest(qtbot, panel)
    assert panel.preview.found.count == expected(card.threshold) == FAINT
    card.number.commit(0.01)
    rest(qtbot, panel)
    assert card.slider.value() == pytest.approx(291, abs=2)
    assert panel.preview.found.count == expected(0.01)


def test_remove_removes_what_was_shown(qtbot: QtBot, panel: CleanUpPanel) -> None:
    session = panel._session
    notices = []
    session.notice.connect(notices.append)
    card = opened(qtbot, panel)
    count = panel.preview.found.count
    card.remove.click()
    rest(qtbot, panel)
    (node,) = session.editing.document.nodes
    assert node.deleted is not None
    assert len(node.deleted) == count
    assert notices[-1].text == f"Removed {count} splats"
    assert card.counts.text() == f"Nothing would go, of {400 - count} splats"
    assert not card.remove.isEnabled()
    notices[-1].action()
    rest(qtbot, panel)
    assert session.editing.document.nodes[0].deleted is None
    assert panel.preview.found.count == count


def test_undo_in_the_toast_takes_back_nothing_else(qtbot: QtBot, panel: CleanUpPanel) -> None:
    session = panel._session
    card = opened(qtbot, panel)
    card.remove.click()
    rest(qtbot, panel)
    action = session.told[-1].notice.action
    session.editing.run("rename", node="thing", name="vase")
    action()
    (node,) = session.editing.document.nodes
    assert node.name == "vase"
    assert node.deleted is not None
    assert session.told[-1].notice.kind == "info"


def test_select_selects_it_and_ends_the_preview(qtbot: QtBot, panel: CleanUpPanel) -> None:
    card = opened(qtbot, panel)
    count = panel.preview.found.count
    card.select.click()
    rest(qtbot, panel)
    document = panel._session.editing.document
    assert len(document.selection[document.nodes[0].id]) == count
    assert not panel.preview.active
    assert panel._session.stage.disguise is None


def test_other_views_show_the_heat_map_too(qtbot: QtBot, panel: CleanUpPanel) -> None:
    session = panel._session
    beside = LinkedStage(session.stage, session.bridge, session.theme, session, side="top")
    compared = LinkedStage(
        session.stage, session.bridge, session.theme, session, variant=lambda document: document
    )
    opened(qtbot, panel)
    assert beside.disguise is session.stage.disguise is panel.preview.found.heat
    assert compared.disguise is None, "what is compared with is shown as it is"
    panel.preview.end()
    assert beside.disguise is None
    beside.close()
    compared.close()


def test_one_card_is_open_at_a_time(qtbot: QtBot, panel: CleanUpPanel) -> None:
    opened(qtbot, panel)
    opened(qtbot, panel, "invalid")
    assert not panel.cards["faint"].head.isChecked()
    assert not panel.cards["invalid"].adjustable
    assert panel.preview.found.kind == "invalid"
    assert panel.preview.found.count == 0


@pytest.mark.parametrize("way", ["escape", "leave", "close"])
def test_the_preview_ends(qtbot: QtBot, panel: CleanUpPanel, way: str) -> None:
    opened(qtbot, panel)
    if way == "escape":
        panel.activateWindow()
        qtbot.keyClick(panel, Qt.Key.Key_Escape)
    elif way == "leave":
        panel.hide()
    else:
        panel._session.editing.open(None)
    assert not panel.preview.active
    assert panel._session.stage.disguise is None
    assert not panel.cards["faint"].head.isChecked()


def test_long_tools_say_how_far_they_are(qtbot: QtBot, panel: CleanUpPanel) -> None:
    told = []
    panel.preview.changed.connect(lambda: told.append(panel.preview.note))
    opened(qtbot, panel, "unseen")
    assert any("Looking from all sides" in note for note in told)
    assert panel.preview.found.total == 400
    panel.grab()
