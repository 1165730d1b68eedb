"""The Shapes workspace, driven as a person would, over a library of a hundred thousand."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from polyorama.errors import UnavailableError, UsageError
from polyorama.scene.document import Document, Node
from polyorama.shapes.library.asset import Failure
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.shapes.empty import empty_words
from polyorama_studio.workspaces.shapes.mime import ASSET_MIME, dragged_in, mime_of
from polyorama_studio.workspaces.shapes.shelf import FIRST
from polyorama_studio.workspaces.shapes.tiles import Tiles
from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace
from tests.gui.shapes_fakes import FakeStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
COPY = Qt.DropAction.CopyAction


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    """In the place of the engine's library."""
    store = FakeStore()
    monkeypatch.setattr("polyorama_studio.workspaces.shapes.shelf.make_store", lambda: _made(store))
    return store


def _made(store: FakeStore) -> FakeStore:
    store.threads.add(threading.get_ident())
    return store


def _shown(qtbot: QtBot, session: Session) -> ShapesWorkspace:
    shapes = ShapesWorkspace(session)
    shapes.resize(1440, 850)
    shapes.show()
    qtbot.waitExposed(shapes)
    qtbot.waitUntil(lambda: shapes.shelf.ready and not shapes.shelf.searching)
    return shapes


@pytest.fixture
def shapes(qtbot: QtBot, session: Session, store: FakeStore) -> Iterator[ShapesWorkspace]:
    """The workspace with its first answer; at the end no engine was called on this thread."""
    shapes = _shown(qtbot, session)
    qtbot.waitUntil(lambda: _calm(shapes))
    yield shapes
    assert threading.get_ident() not in store.threads
    shapes.hide()
    shapes.deleteLater()


def _calm(shapes: ShapesWorkspace) -> bool:
    return not shapes.shelf.searching and not shapes.session.jobs.active


def _first(shapes: ShapesWorkspace) -> int:
    return int(shapes.shelf.found.ids[0])


def _key(shapes: ShapesWorkspace, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(shapes.grid, key, modifiers)


def _click(shapes: ShapesWorkspace, index: int, modifiers=NONE, button=LEFT) -> None:
    box = shapes.grid.tiles.box(index, shapes.grid.scroll)
    QTest.mouseClick(shapes.grid.viewport(), button, modifiers, box.center().toPoint())


# Searching


def test_results_come_while_one_types(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    before = len(store.queries)
    QTest.keyClicks(shapes.side.search, "4711")
    qtbot.waitUntil(lambda: _first(shapes) == 4711)
    words = [query.words for query in store.queries[before:]]
    assert words[-1] == "4711"
    assert len(words) < 4, "letters that follow at once are one question"
    assert shapes.shelf.found.ranked
    assert "nearest first" in shapes.bar.words.text()
    shapes.bar.clear.click()
    qtbot.waitUntil(lambda: _first(shapes) == 0)
    assert shapes.side.search.text() == ""
    assert not shapes.bar.clear.isVisible()


def test_from_the_search_one_goes_on_to_what_was_found(
    qtbot: QtBot, window: Window, store: FakeStore
) -> None:
    window.workspaces.show_workspace("shapes")
    shapes = window.workspaces.make("shapes")
    assert isinstance(shapes, ShapesWorkspace)
    qtbot.waitUntil(lambda: len(shapes.shelf.found) > 0 and _calm(shapes))
    shapes.focus_search()
    QTest.keyClicks(window.focusWidget(), "12")
    qtbot.waitUntil(lambda: _first(shapes) == 12)
    QTest.keyClick(shapes.side.search, Qt.Key.Key_Down)
    assert window.focusWidget() is shapes.grid
    assert shapes.shelf.chosen == (12,)
    QTest.keyClick(shapes.grid, Qt.Key.Key_Right)
    assert shapes.shelf.chosen == (13,)


def test_the_last_question_wins(qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore) -> None:
    store.gate.clear()
    store.entered.clear()
    shapes.side.search.setText("100")
    assert store.entered.wait(5.0) or _wait(qtbot, store)
    firsts: list[int] = []
    shapes.shelf.found_changed.connect(lambda: firsts.append(_first(shapes)))
    for words in ("200", "300", "400"):
        shapes.side.search.setText(words)
    store.gate.set()
    qtbot.waitUntil(lambda: _first(shapes) == 400)
    qtbot.waitUntil(lambda: _calm(shapes))
    assert set(firsts) == {400}, "what was asked before is neither shown nor asked any more"
    assert [q.words for q in store.queries if q.words in ("200", "300")] == []


def _wait(qtbot: QtBot, store: FakeStore) -> bool:
    qtbot.waitUntil(store.entered.is_set)
    return True


def test_words_without_collections_and_rows_are_one_query(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    filters = shapes.side.filters
    shapes.side.search.setText("5")
    shapes.side.without.setText("wheels")
    filters.field.setText("polys < 9 or splats > 2")
    filters.field.returnPressed.emit()
    filters.format.set_value("glb")
    filters.format.chosen.emit("glb")
    filters.kind.choose("mesh")
    qtbot.waitUntil(lambda: "kind" in store.queries[-1].filters and _calm(shapes))
    query = store.queries[-1]
    assert (query.words, query.without) == ("5", "wheels")
    assert query.filters == "(polys < 9 or splats > 2) and format = glb and kind = mesh"
    filters.format.chosen.emit("")
    filters.kind.choose("")
    qtbot.waitUntil(lambda: store.queries[-1].filters == "polys < 9 or splats > 2")


def test_a_wrong_word_of_a_filter_is_told_below_it(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    filters = shapes.side.filters
    QTest.keyClicks(filters.field, "nonsense > 2")
    qtbot.waitUntil(filters.wrong.isVisible)
    assert "no condition 'nonsense'" in filters.wrong.text()
    assert len(shapes.shelf.found) == store.count, "what was found before stays"
    assert not [told for told in shapes.session.told if told.notice.kind == "bad"]
    filters.field.clear()
    qtbot.waitUntil(lambda: not filters.wrong.isVisible())


def test_one_of_each_shows_how_many_there_are(qtbot: QtBot, shapes: ShapesWorkspace) -> None:
    shapes.side.filters.unique.click()
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == 25_000)
    assert shapes.grid.state_of(3).copies == 4


def test_similar_shapes_and_like_this_but(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    _click(shapes, 2)
    shapes.menu.find_like_but()
    qtbot.waitUntil(lambda: _first(shapes) == 2)
    assert [chip.text() for chip in shapes.side.chips.chips] == ["Like thing 2"]
    shapes.side.search.setText("red")
    qtbot.waitUntil(lambda: store.queries[-1].words == "red")
    assert store.queries[-1].like == (2,)
    shapes.side.chips.chips[0].click()
    qtbot.waitUntil(lambda: store.queries[-1].like == ())
    assert not shapes.side.chips.isVisible()


def _scene() -> Document:
    return Document((Node("pot", id="a"), Node("lid", id="b")))


def test_a_shape_of_the_scene_is_asked_by_its_vectors(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    store.gate.clear()
    shapes.find_like(_scene(), ("a", "b"))
    assert shapes.bar.words.text() == "Looking at pot and 1 more"
    store.gate.set()
    qtbot.waitUntil(lambda: store.queries[-1].vectors is not None)
    assert store.queries[-1].vectors.shape == (2, 8)
    assert store.compared == [("pot", "lid")]
    assert shapes.side.chips.chips[0].text() == "Like pot and 1 more of the scene"
    shapes.side.chips.chips[0].click()
    qtbot.waitUntil(lambda: store.queries[-1].vectors is None)


def test_what_of_the_scene_cannot_be_seen_is_told(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    store.unseen = True
    shapes.find_like(_scene(), ("a",))
    qtbot.waitUntil(lambda: bool(shapes.session.told))
    assert "Nothing of this can be seen" in shapes.session.told[-1].notice.text
    qtbot.waitUntil(lambda: shapes.bar.words.text().endswith("shapes"))
    assert not shapes.side.chips.chips


def test_the_best_come_first_and_the_rest_after_a_pause_or_a_scroll(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    assert store.limits[-1] is None, "what nothing ranks comes at once"
    shapes.side.search.setText("42")
    qtbot.waitUntil(lambda: _first(shapes) == 42)
    assert store.limits[-1] == FIRST
    assert len(shapes.shelf.found) == FIRST
    assert "The best 240" in shapes.bar.words.text()
    share = shapes.grid.state_of(9).score
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == store.count)
    assert "100,000 shapes" in shapes.bar.words.text()
    assert shapes.grid.state_of(9).score == pytest.approx(share, abs=0.01), "bars stay"
    shapes.side.search.setText("7")
    qtbot.waitUntil(lambda: _first(shapes) == 7)
    shapes.shelf._rest_timer.stop()
    shapes.grid.verticalScrollBar().setValue(500)
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == store.count)
    assert shapes.grid.scroll == 500, "what is looked at stays where it is"


def test_choosing_all_waits_for_all(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    shapes.side.search.setText("42")
    qtbot.waitUntil(lambda: _first(shapes) == 42)
    _key(shapes, Qt.Key.Key_A, CTRL)
    qtbot.waitUntil(lambda: len(shapes.shelf.chosen) == store.count)
    shapes.place()
    assert "choose at most 100" in shapes.session.told[-1].notice.text


def test_looking_anew_while_files_are_indexed_does_not_scroll(
    qtbot: QtBot, shapes: ShapesWorkspace
) -> None:
    shapes.grid.verticalScrollBar().setValue(4000)
    answers: list[bool] = []
    shapes.shelf.found_changed.connect(lambda: answers.append(shapes.shelf.fresh))
    shapes.shelf._refresh()
    qtbot.waitUntil(lambda: answers == [False])
    assert shapes.grid.scroll == 4000


def test_a_failure_that_stays_is_told_once(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(query: object, **given: object) -> None:
        store.entered.set()
        raise UnavailableError("The weights are missing; run: polyorama models get shapes")

    monkeypatch.setattr(store, "search", refuse)
    for words in ("a", "ab", "abc"):
        store.entered.clear()
        shapes.side.search.setText(words)
        qtbot.waitUntil(store.entered.is_set)
        qtbot.waitUntil(lambda: _calm(shapes))
    told = [told.notice.text for told in shapes.session.told if told.notice.kind == "bad"]
    assert told == ["The weights are missing; run: polyorama models get shapes"]


def _picture(path: Path, color: str = "red") -> Path:
    image = QImage(900, 600, QImage.Format.Format_ARGB32)
    image.fill(QColor(color))
    assert image.save(str(path))
    return path


def _drop(widget, data: QMimeData) -> None:
    at = QPointF(widget.rect().center())
    QApplication.sendEvent(widget, QDragEnterEvent(at, COPY, data, LEFT, NONE))
    QApplication.sendEvent(widget, QDropEvent(at, COPY, data, LEFT, NONE))


def test_pictures_are_dropped_shown_and_taken_away(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, tmp_path: Path
) -> None:
    data = QMimeData()
    data.setUrls([
        QUrl.fromLocalFile(str(_picture(tmp_path / "one.png"))),
        QUrl.fromLocalFile(str(_picture(tmp_path / "two.jpg", "blue"))),
    ])  # fmt: skip
    _drop(shapes.side.drop, data)
    qtbot.waitUntil(lambda: len(store.queries[-1].images) == 2)
    first, second = store.queries[-1].images
    assert first.dtype == np.uint8
    assert first.shape in ((426, 640, 3), (427, 640, 3)), "small, and as wide as it was"
    assert tuple(first[5, 5]) == (255, 0, 0)
    assert int(second[5, 5, 2]) > 200
    assert [chip.text() for chip in shapes.side.chips.chips] == ["one.png", "two.jpg"]
    shapes.side.chips.chips[0].click()
    qtbot.waitUntil(lambda: len(store.queries[-1].images) == 1)
    assert store.queries[-1].images[0] is second


def test_a_file_that_is_no_picture_is_told(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, tmp_path: Path
) -> None:
    (tmp_path / "bad.png").write_bytes(b"no picture at all")
    shapes.side.drop.read([tmp_path / "bad.png", _picture(tmp_path / "good.png")])
    qtbot.waitUntil(lambda: len(store.queries[-1].images) == 1)
    told = [t.notice.text for t in shapes.session.told if t.notice.kind == "bad"]
    assert len(told) == 1
    assert "bad.png" in told[0]


def test_a_picture_is_pasted(qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore) -> None:
    image = QImage(30, 20, QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    QGuiApplication.clipboard().setImage(image)
    shapes.side.drop.paste()
    qtbot.waitUntil(lambda: len(store.queries[-1].images) == 1)
    assert store.queries[-1].images[0].shape == (20, 30, 3)
    assert store.queries[-1].images[0].min() == 255, "what is transparent is white"
    QGuiApplication.clipboard().setText("no picture")
    shapes.side.drop.paste()
    assert shapes.session.told[-1].notice.text == "There is no picture on the clipboard"


# The grid


def test_of_a_hundred_thousand_only_what_is_seen_is_read(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    grid = shapes.grid
    assert len(shapes.shelf.found) == 100_000
    seen = len(grid.seen())
    assert set(range(seen)) <= set(store.read)
    assert len(store.read) <= 3 * seen
    before = len(store.read)
    grid.verticalScrollBar().setValue(grid.tiles.height // 2)
    middle = grid.seen()
    qtbot.waitUntil(lambda: set(middle) <= set(store.read))
    qtbot.waitUntil(lambda: _calm(shapes))
    assert min(middle) > 40_000
    assert len(store.read) - before <= 4 * seen
    assert grid.verticalScrollBar().maximum() == grid.tiles.height - grid.viewport().height()


def test_what_is_flown_over_is_not_read(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    grid, bar = shapes.grid, shapes.grid.verticalScrollBar()
    before = len(store.read)
    for step in range(200):
        bar.setValue(bar.maximum() * step // 200)
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: set(grid.seen()) <= set(store.read) and _calm(shapes))
    assert len(store.read) - before <= 40 + 4 * len(grid.seen())
    assert len(shapes.shelf.thumbs) <= 1500


def test_pictures_that_were_seen_long_ago_are_let_go(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyorama_studio.workspaces.shapes.thumbs._MOST_KEPT", 100)
    bar = shapes.grid.verticalScrollBar()
    for step in range(1, 6):
        bar.setValue(step * 4000)
        qtbot.waitUntil(lambda: set(shapes.grid.seen()) <= set(store.read) and _calm(shapes))
    assert len(shapes.shelf.thumbs) <= 100
    assert all(shapes.shelf.thumbs.pixmap(i) is not None for i in shapes.grid.seen())
    before = len(store.read)
    bar.setValue(0)
    qtbot.waitUntil(lambda: 0 in store.read[before:])


@pytest.mark.parametrize("width", [200, 744, 1300])
def test_cells_fill_the_width_and_are_found_again(width: int) -> None:
    tiles = Tiles(1003, width, 140)
    assert tiles.box(tiles.columns - 1).right() <= width
    for index in (0, 1, tiles.columns, 500, 1002):
        assert tiles.at(tiles.box(index).center()) == index
        scrolled = QPointF(tiles.box(index).center().x(), tiles.box(index).center().y() - 77)
        assert tiles.at(scrolled, 77) == index
    assert tiles.at(QPointF(width - 1.0, 5.0)) == -1
    assert tiles.at(QPointF(20.0, tiles.height + 500.0)) == -1
    last = tiles.seen(tiles.height - 400, 400)
    assert last.stop == 1003
    assert last.start > 0
    assert len(Tiles(0, width, 140).seen(0, 600)) == 0


def test_keys_go_through_the_grid(qtbot: QtBot, shapes: ShapesWorkspace) -> None:
    grid, columns = shapes.grid, shapes.grid.tiles.columns
    _key(shapes, Qt.Key.Key_Right)
    assert shapes.shelf.chosen == (0,)
    _key(shapes, Qt.Key.Key_Right)
    _key(shapes, Qt.Key.Key_Down)
    assert shapes.shelf.chosen == (1 + columns,)
    _key(shapes, Qt.Key.Key_Left, SHIFT)
    _key(shapes, Qt.Key.Key_Left, SHIFT)
    assert set(shapes.shelf.chosen) == {columns - 1, columns, columns + 1}
    assert shapes.shelf.current == columns - 1
    _key(shapes, Qt.Key.Key_End)
    assert shapes.shelf.chosen == (99_999,)
    assert 99_999 in grid.seen()
    _key(shapes, Qt.Key.Key_Home)
    assert shapes.shelf.chosen == (0,)
    assert grid.scroll <= grid.tiles.gap
    _key(shapes, Qt.Key.Key_PageDown)
    assert grid.current > 2 * columns - 1
    assert grid.current % columns == 0
    assert grid.current in grid.seen()
    _key(shapes, Qt.Key.Key_Up)
    _key(shapes, Qt.Key.Key_PageUp)
    assert grid.current == 0
    _key(shapes, Qt.Key.Key_A, CTRL)
    assert len(shapes.shelf.chosen) == 100_000
    assert shapes.shelf.current == 0
    _key(shapes, Qt.Key.Key_Escape)
    assert shapes.shelf.chosen == ()


def test_ranges_and_single_ones_are_chosen_with_keys_held(shapes: ShapesWorkspace) -> None:
    _click(shapes, 1)
    _click(shapes, 4, SHIFT)
    assert shapes.shelf.chosen == (1, 2, 3, 4)
    _click(shapes, 2, CTRL)
    assert shapes.shelf.chosen == (1, 3, 4)
    _click(shapes, 6, CTRL)
    assert shapes.shelf.chosen == (1, 3, 4, 6)
    _click(shapes, 3)
    assert shapes.shelf.chosen == (3,), "a click on what is chosen chooses it alone"
    _click(shapes, 1, SHIFT)
    assert shapes.shelf.chosen == (3, 2, 1)
    QTest.mouseClick(shapes.grid.viewport(), LEFT, NONE, QPoint(1, 1))
    assert shapes.shelf.chosen == ()


def test_a_shape_under_the_pointer_turns(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = shapes.grid
    monkeypatch.setattr(grid.viewport(), "underMouse", lambda: True)
    box = grid.tiles.box(5, grid.scroll)
    QTest.mouseMove(grid.viewport(), box.topLeft().toPoint() + QPoint(10, 40))
    asset = shapes.shelf.asset(5)
    qtbot.waitUntil(lambda: bool(grid.spins.of(asset)))
    assert store.turned == [asset.path]
    assert 0.0 <= grid.state_of(5).turn < 0.2
    right = QPoint(int(box.right()) - 6, int(box.top()) + 40)
    QTest.mouseMove(grid.viewport(), right)
    assert grid.state_of(5).turn > 0.9
    assert grid.state_of(4).turn < 0.0
    assert "15 polygons" in grid.viewport().toolTip()


def test_passing_over_shapes_turns_none(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = shapes.grid
    monkeypatch.setattr(grid.viewport(), "underMouse", lambda: True)
    for index in (0, 1, 2, 3):
        QTest.mouseMove(grid.viewport(), grid.tiles.box(index).center().toPoint())
    qtbot.waitUntil(lambda: bool(store.turned))
    assert store.turned == [store.asset(3).path]


def test_pictures_grow_and_shrink(qtbot: QtBot, shapes: ShapesWorkspace) -> None:
    low, high = Metrics.shapes_cell
    columns = shapes.grid.tiles.columns
    shapes.bar.size.setValue(high)
    assert shapes.grid.tiles.columns < columns
    shapes.bar.size.setValue(low)
    assert shapes.grid.tiles.columns > columns
    assert shapes.session.preferences.shapes_side == low


def test_a_drag_carries_files_and_shapes(shapes: ShapesWorkspace) -> None:
    _click(shapes, 1)
    _click(shapes, 2, CTRL)
    data = mime_of(shapes.shelf.assets)
    assert [url.toLocalFile() for url in data.urls()] == [
        "/models/thing_1.glb", "/models/thing_2.glb",
    ]  # fmt: skip
    assert data.hasFormat("text/uri-list")
    dragged = dragged_in(data)
    assert [(d.id, d.path, d.name) for d in dragged] == [
        (1, Path("/models/thing_1.glb"), "thing 1"), (2, Path("/models/thing_2.glb"), "thing 2"),
    ]  # fmt: skip


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'[{"id": 1}]', b'{"id": 1}', b"[1, null]"])
def test_what_other_programs_drag_is_not_believed(raw: bytes) -> None:
    data = QMimeData()
    data.setData(ASSET_MIME, raw)
    assert dragged_in(data) == []


# The library


def test_the_empty_library_invites(
    qtbot: QtBot, session: Session, store: FakeStore, tmp_path: Path
) -> None:
    store.count, store.folders = 0, []
    shapes = _shown(qtbot, session)
    qtbot.waitUntil(lambda: _calm(shapes))
    assert empty_words(shapes.shelf)[1].startswith("Add a folder of models")
    store.steps = threading.Semaphore(0)
    shapes.side.folders._on_folder(str(tmp_path))
    qtbot.waitUntil(lambda: shapes.shelf.indexing is not None)
    store.steps.release()
    qtbot.waitUntil(shapes.side.folders.bar.isVisible)
    assert shapes.side.folders.stop.isVisible()
    qtbot.waitUntil(lambda: shapes.side.folders.note.text().startswith("thing"))
    assert not shapes.side.folders.again.isVisible()
    store.steps.release(10)
    qtbot.waitUntil(lambda: shapes.shelf.indexing is None)
    assert not shapes.side.folders.bar.isVisible()
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == 20)
    assert [row.text() for row in shapes.side.folders.rows] == [tmp_path.name]
    shapes.side.folders.rows[0].click()
    qtbot.waitUntil(lambda: store.queries[-1].filters == f'folder = "{tmp_path}"')
    assert shapes.side.folders.rows[0].isChecked()
    shapes.side.folders.rows[0].click()
    qtbot.waitUntil(lambda: store.queries[-1].filters == "")
    shapes.hide()
    shapes.deleteLater()


def test_folders_can_be_dropped(
    qtbot: QtBot, session: Session, store: FakeStore, tmp_path: Path
) -> None:
    store.count, store.folders = 0, []
    shapes = _shown(qtbot, session)
    qtbot.waitUntil(shapes.grid.invite.isVisible)
    (tmp_path / "models").mkdir()
    file = tmp_path / "chair.glb"
    file.write_bytes(b"x")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "models")), QUrl.fromLocalFile(str(file))])
    _drop(shapes.grid.viewport(), data)
    qtbot.waitUntil(lambda: store.folders == [tmp_path / "models"])
    qtbot.waitUntil(lambda: store.indexed == 1 and not shapes.grid.invite.isVisible())
    shapes.hide()
    shapes.deleteLater()


def test_what_changed_and_came_to_rest_is_indexed_once(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    def look() -> None:
        shapes.shelf.look_for_changes()
        qtbot.waitUntil(lambda: _calm(shapes) and shapes.shelf.indexing is None)

    look()
    for changed, indexed in (("a", 0), ("b", 0), ("b", 1), ("b", 1), ("", 1), ("c", 1), ("c", 2)):
        store.changed = changed
        look()
        assert store.indexed == indexed, changed
    assert shapes.shelf._watch.isActive()
    shapes.hide()
    assert not shapes.shelf._watch.isActive()


def test_a_look_at_folders_that_goes_on_is_not_asked_for_again(
    shapes: ShapesWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(shapes.shelf, "_do", lambda *given, **_: asked.append(given))
    for _ in range(3):
        shapes.shelf.look_for_changes()
    assert len(asked) == 1
    shapes.shelf._on_changes("")
    shapes.shelf.look_for_changes()
    assert len(asked) == 2
    shapes.shelf._not_looked(UsageError("The disk is gone."))
    shapes.shelf.look_for_changes()
    assert len(asked) == 3


def test_a_library_that_cannot_be_opened_says_so(
    qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> FakeStore:
        raise UsageError("The library is on a disk that is gone.")

    monkeypatch.setattr("polyorama_studio.workspaces.shapes.shelf.make_store", refuse)
    shapes = _shown(qtbot, session)
    assert empty_words(shapes.shelf)[2] == "The library is on a disk that is gone."
    store = FakeStore(5)
    monkeypatch.setattr("polyorama_studio.workspaces.shapes.shelf.make_store", lambda: store)
    notice = next(told.notice for told in session.told if told.notice.kind == "bad")
    assert notice.action_title == "Try again"
    notice.action()
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == 5)
    shapes.hide()
    shapes.deleteLater()


def test_collections(qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore) -> None:
    side = shapes.side.collections
    side._new("Chairs")
    qtbot.waitUntil(lambda: [row.text() for row in side.rows] == ["Chairs"])
    _click(shapes, 3)
    _click(shapes, 5, CTRL)
    _drop(side.rows[0], mime_of(shapes.shelf.assets))
    qtbot.waitUntil(lambda: side.rows[0].note == "2")
    assert store.collections == {"Chairs": [3, 5]}
    side.rows[0].click()
    qtbot.waitUntil(lambda: shapes.shelf.found.ids.tolist() == [3, 5])
    assert side.rows[0].isChecked()
    assert "in Chairs" in shapes.bar.words.text()
    shapes.shelf.choose([3])
    shapes.menu._uncollect()
    qtbot.waitUntil(lambda: shapes.shelf.found.ids.tolist() == [5])
    side._rename("Chairs", "Seats")
    qtbot.waitUntil(lambda: [row.text() for row in side.rows] == ["Seats"])
    assert side.rows[0].isChecked()
    side._new("Seats")
    assert store.collections == {"Seats": [5]}, "one of that name is not emptied"
    side._delete("Seats")
    qtbot.waitUntil(lambda: side.rows == [] and len(shapes.shelf.found) == 100_000)
    qtbot.waitUntil(lambda: bool(shapes.session.told))
    notice = shapes.session.told[-1].notice
    assert notice.action_title == "Undo"
    notice.action()
    qtbot.waitUntil(lambda: store.collections == {"Seats": [5]})


def test_files_that_failed_are_listed_with_their_reason(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    assert not shapes.side.failures.isVisible()
    store.failures = (Failure(Path("/models/bad.glb"), "This file ends too early."),)
    shapes.shelf.index()
    qtbot.waitUntil(lambda: len(shapes.side.failures.rows) == 1)
    row = shapes.side.failures.rows[0]
    assert row.text() == "bad.glb"
    assert "ends too early" in row.toolTip()
    row.click()
    assert QGuiApplication.clipboard().text() == "/models/bad.glb\nThis file ends too early."


def test_facts_and_reasons(qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore) -> None:
    shapes.side.search.setText("0")
    qtbot.waitUntil(lambda: shapes.shelf.found.ranked)
    _click(shapes, 3)
    facts = shapes.facts
    assert facts.name.text() == "thing 3"
    values = {key: label.text() for key, label in facts._values.items()}
    assert values["made"] == "500 splats"
    assert values["size"].startswith("1 \N{MULTIPLICATION SIGN} 2")
    assert "CC0" in values["licence"]
    assert "procedural shapes" in facts.origin.text()
    qtbot.waitUntil(facts.views.isVisible)
    assert facts.views.best == 2
    assert "View 3 of 12" in facts.why.text()
    facts.tags.setText("old, brass ,, old")
    facts.tags.editingFinished.emit()
    qtbot.waitUntil(lambda: store.tags == {3: ("old", "brass")})
    assert shapes.shelf.asset(3).tags == ("old", "brass")
    shapes.side.search.clear()
    qtbot.waitUntil(lambda: not facts.views.isVisible())


def test_the_large_shape_turns_under_the_hand(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    preview = shapes.facts.preview
    _click(shapes, 1)
    qtbot.waitUntil(lambda: preview.orbit.pixmap is not None)
    assert store.looked[-1][:3] == (1, 0.0, 0.0)
    assert store.looked[-1][3] == preview.orbit.size > 300
    middle = preview.rect().center()
    QTest.mousePress(preview, LEFT, NONE, middle)
    QTest.mouseMove(preview, middle + QPoint(preview.width() // 4, -preview.height() // 10))
    QTest.mouseRelease(preview, LEFT, NONE, middle)
    assert preview.orbit.azimuth == pytest.approx(75.0, abs=2.0)
    assert preview.orbit.elevation == pytest.approx(-30.0, abs=2.0)
    there = (1, preview.orbit.azimuth, preview.orbit.elevation)
    qtbot.waitUntil(lambda: store.looked[-1][:3] == there)
    QTest.keyClick(preview, Qt.Key.Key_Left)
    assert preview.orbit.azimuth == pytest.approx(60.0, abs=2.0)
    for _ in range(20):
        QTest.keyClick(preview, Qt.Key.Key_Down)
    assert preview.orbit.elevation == 65.0, "it does not turn over"
    QTest.mouseDClick(preview, LEFT, NONE, middle)
    assert (preview.orbit.azimuth, preview.orbit.elevation) == (0.0, 0.0)
    preview.turn_by(90.0, 0.0)
    _click(shapes, 2)
    assert preview.orbit.azimuth == 0.0


def test_the_large_shape_is_the_one_pointed_at(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    preview = shapes.facts.preview
    _click(shapes, 1)
    shapes.shelf.hover(5)
    qtbot.waitUntil(lambda: preview.asset is not None and preview.asset.id == 5)
    qtbot.waitUntil(lambda: bool(store.looked) and store.looked[-1][0] == 5)
    assert shapes.facts.asset is not None
    assert shapes.facts.asset.id == 1, "facts stay with what is chosen"
    shapes.shelf.hover(-1)
    qtbot.waitUntil(lambda: preview.asset is not None and preview.asset.id == 1)
    shapes.shelf.choose(())
    assert preview.asset is None


def test_passing_over_shapes_opens_none(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    for number in (3, 4, 5, 6):
        shapes.shelf.hover(number)
    qtbot.waitUntil(lambda: bool(store.looked))
    assert {looked[0] for looked in store.looked} == {6}


def test_slow_shapes_turn_at_half_the_size_and_are_drawn_in_full_when_still(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    preview = shapes.facts.preview
    _click(shapes, 1)
    qtbot.waitUntil(lambda: preview.orbit.pixmap is not None)
    preview.orbit._milliseconds = 500.0
    before = len(store.looked)
    preview.turn_by(10.0, 0.0)
    qtbot.waitUntil(lambda: len(store.looked) == before + 2)
    assert [looked[3] for looked in store.looked[before:]] == [
        preview.orbit.size // 2, preview.orbit.size,
    ]  # fmt: skip


def test_a_file_that_is_gone_says_so_in_the_preview(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    store.unseen = True
    preview = shapes.facts.preview
    _click(shapes, 1)
    qtbot.waitUntil(lambda: preview.orbit.error is not None)
    assert not preview.grab().isNull()
    assert preview.picture() is not None, "the small picture stays"


def test_all_that_is_chosen_is_told_beside_the_name(shapes: ShapesWorkspace) -> None:
    _click(shapes, 3)
    _key(shapes, Qt.Key.Key_A, CTRL)
    assert shapes.facts.name.text() == "thing 3 and 99,999 more"


# The map


def test_the_map(qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore) -> None:
    shapes.show_view("map")
    atlas = shapes.atlas
    expected = 1.0 - np.random.default_rng(1).random((100_000, 2), np.float32)
    qtbot.waitUntil(
        lambda: atlas.plan is not None and np.allclose(atlas.plan.points[:9], expected[:9])
    )
    assert not shapes.bar.size.isVisible()
    before = len(store.read)
    place = QPointF(*map(float, atlas.places()[777]))
    for _ in range(30):
        atlas.zoom(1.25, place)
    moved = atlas.places()[777]
    assert np.allclose(moved, (place.x(), place.y()), atol=1.0), "it stays under the pointer"
    rows = atlas.in_view()
    assert 0 < len(rows) < 240
    qtbot.waitUntil(lambda: set(rows.tolist()) <= set(store.read) and _calm(shapes))
    assert len(store.read) - before < 2000
    QTest.mouseClick(atlas, LEFT, NONE, place.toPoint())
    assert shapes.shelf.current == 777
    shapes.side.search.setText("42")
    qtbot.waitUntil(lambda: 42 in atlas._bright)
    assert len(atlas._bright) == 60
    assert not atlas.grab().isNull()


def test_keys_wander_over_the_map(qtbot: QtBot, shapes: ShapesWorkspace) -> None:
    shapes.show_view("map")
    atlas = shapes.atlas
    qtbot.waitUntil(lambda: atlas.plan is not None and _calm(shapes))
    for way, axis, sign in (
        (Qt.Key.Key_Right, 0, 1), (Qt.Key.Key_Down, 1, 1), (Qt.Key.Key_Left, 0, -1),
        (Qt.Key.Key_Up, 1, -1),
    ):  # fmt: skip
        QTest.keyClick(atlas, way)
        before = atlas.places()[shapes.shelf.current]
        QTest.keyClick(atlas, way)
        after = atlas.places()[shapes.shelf.current]
        assert sign * (after - before)[axis] > 0
        assert np.linalg.norm(after - before) < 60
    QTest.keyClick(atlas, Qt.Key.Key_Plus)
    assert atlas.scale == pytest.approx(1.5)
    QTest.keyClick(atlas, Qt.Key.Key_Home)
    assert atlas.scale == 1.0
    QTest.keyClick(atlas, Qt.Key.Key_Escape)
    assert shapes.shelf.chosen == ()


def test_a_map_that_could_be_better_says_how(
    qtbot: QtBot, shapes: ShapesWorkspace, store: FakeStore
) -> None:
    store.note = "The map of neighbourhoods needs a package; run: pip install umap-learn"
    shapes.show_view("map")
    qtbot.waitUntil(lambda: shapes.atlas.note.text() == store.note)
    assert shapes.atlas.note.isVisible()
    store.note = ""
    shapes.shelf.index()
    qtbot.waitUntil(lambda: shapes.shelf.indexing is None and _calm(shapes))
    qtbot.waitUntil(lambda: not shapes.atlas.note.isVisible())


def test_both_themes_are_painted(qtbot: QtBot, shapes: ShapesWorkspace) -> None:
    session = shapes.session
    _click(shapes, 0)
    for view in ("grid", "map"):
        shapes.show_view(view)
        qtbot.waitUntil(lambda: _calm(shapes))
        pictures = []
        for name in ("light", "dark"):
            session.set_theme(name)
            image = shapes.grab().toImage()
            pictures.append(image)
            ground = session.theme.tokens.color("ground")
            corner = shapes.views.mapTo(shapes, QPoint(2, 2))
            assert image.pixelColor(corner) == ground
        assert pictures[0] != pictures[1]


# The window


def test_actions_of_shapes_are_taken_while_it_is_shown(
    qtbot: QtBot, window: Window, store: FakeStore
) -> None:
    actions = window.actions_by_id
    menus = {a.text(): a for a in window.menuBar().actions()}
    assert not menus["Shapes"].isVisible()
    assert not window.workspaces.is_made("shapes")
    window.workspaces.show_workspace("shapes")
    assert menus["Shapes"].isVisible()
    assert not menus["Select"].isVisible()
    shapes = window.workspaces.make("shapes")
    assert isinstance(shapes, ShapesWorkspace)
    qtbot.waitUntil(lambda: len(shapes.shelf.found) > 0 and _calm(shapes))
    assert not actions["shapes.place"].isEnabled()
    shapes.shelf.choose([3])
    qtbot.waitUntil(actions["shapes.place"].isEnabled)
    strip = [label.text() for label in window._status.findChildren(QLabel)]
    assert "100,000 shapes" in strip
    assert "thing 3" in strip
    actions["shapes.similar"].trigger()
    qtbot.waitUntil(lambda: _first(shapes) == 3)
    actions["shapes.map"].trigger()
    assert shapes.atlas.isVisible()
    qtbot.waitUntil(actions["shapes.map"].isChecked)
    actions["shapes.map"].trigger()
    assert shapes.grid.isVisible()
    actions["shapes.find"].trigger()
    assert window.focusWidget() is shapes.side.search
    before = store.indexed
    actions["shapes.index"].trigger()
    qtbot.waitUntil(lambda: store.indexed == before + 1 and shapes.shelf.indexing is None)
    window.workspaces.show_workspace("scene")
    assert window.viewport.hasFocus()
    assert not menus["Shapes"].isVisible()
    assert threading.get_ident() not in store.threads
    assert not store.closed
    window.close()
    assert store.closed
