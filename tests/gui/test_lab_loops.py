"""The moving pictures of the gallery: made once, kept, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from polyorama.lab import catalog
from polyorama_studio.workspaces.lab import loops
from polyorama_studio.workspaces.lab.gallery import Card
from polyorama_studio.workspaces.lab.loops import LoopMaker, telling_view
from polyorama_studio.workspaces.lab.previews import SIZE, kept_path, read_frames, room_title
from tests.gui.lab_every import Every
from tests.gui.lab_fakes import Runners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch) -> Runners:
    own = {"tests/every": "tests.gui.lab_every:Every", "tests/gone": "tests.gui.nowhere:Gone"}
    monkeypatch.setattr(catalog, "_OWN", own)
    monkeypatch.setattr(loops, "FRAMES", 3)
    return Runners()


@pytest.fixture
def maker(session: Session, runners: Runners) -> Iterator[LoopMaker]:
    maker = LoopMaker(session, runners, session)
    yield maker
    maker.close()


def test_loops_are_made_kept_and_read(qtbot: QtBot, maker: LoopMaker, runners: Runners) -> None:
    made: list[str] = []
    maker.made.connect(made.append)
    with qtbot.waitSignal(maker.rested):
        maker.ask("tests/gone")
        maker.ask("tests/every")
        maker.ask("tests/every")
    assert made == ["tests/every"], "one that cannot be loaded keeps no other from its turn"
    steps = [int(step) for step in runners.last.runner.history.steps]
    assert steps == [0, 200, 800, 1800], "most happens early"
    assert runners.last.closed
    grounds = []
    for theme in ("dark", "light"):
        frames = read_frames("tests/every", theme)
        assert [(f.width(), f.height()) for f in frames] == [SIZE] * 3
        assert frames[0] != frames[2]
        grounds.append(frames[0].pixelColor(1, 1).lightness())
    assert grounds[0] < 60
    assert grounds[1] > 240
    assert read_frames("tests/gone", "dark") == []


def test_what_plays_has_the_machine(qtbot: QtBot, maker: LoopMaker, runners: Runners) -> None:
    maker.set_paused(True)
    maker.ask("tests/every")
    qtbot.wait(20)
    assert not runners.made
    with qtbot.waitSignal(maker.rested):
        maker.set_paused(False)
    assert kept_path("tests/every", "dark").is_file()


def test_pictures_that_need_the_renderer_are_left_to_those_who_wait() -> None:
    views = Every().views()
    spatial = views[-1]
    assert telling_view((spatial, *views), in_space=True) is spatial
    assert telling_view((spatial, *views), in_space=False) is views[0]
    assert telling_view((spatial,), in_space=False) is None


def test_a_card_moves_while_it_is_pointed_at(qtbot: QtBot, maker, session: Session) -> None:
    with qtbot.waitSignal(maker.rested):
        maker.ask("tests/every")
    card = Card(session, "tests/every", None)  # type: ignore[arg-type]
    qtbot.addWidget(card)
    card.set_frames(read_frames("tests/every", "dark"))
    still = card.frame
    card._timer.setInterval(5)
    card.enterEvent(None)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: card.frame != still)
    card.leaveEvent(None)  # type: ignore[arg-type]
    assert card.frame == still


def test_rooms_have_titles() -> None:
    assert room_title("rl/eqo") == "Reinforcement learning"
    assert room_title("my-room/walk") == "My room"
