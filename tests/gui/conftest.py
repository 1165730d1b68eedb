"""Fixtures for the studio's tests: no screen, own settings, nothing left behind."""

from __future__ import annotations

import gc
import os
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

import platformdirs
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTEST_QT_API", "pyside6")
# Tests have caches of their own, but what is compiled is shared with all other tests.
os.environ.setdefault("NUMBA_CACHE_DIR", str(platformdirs.user_cache_path("polyorama") / "kernels"))

if find_spec("PySide6") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    from polyorama_studio.preferences import Preferences
    from polyorama_studio.session import Session
    from polyorama_studio.viewport.grid import ViewGrid
    from polyorama_studio.viewport.viewport import Viewport
    from polyorama_studio.window import Window
    from tests.gui.fakes import FakeRasterizer, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

_OUR_THREADS = ("render", "job")


@pytest.fixture(scope="session", autouse=True)
def collected_on_this_thread() -> Iterator[None]:
    """Threads of jobs never destroy what Qt objects earlier tests left in cycles."""
    gc.disable()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def walked_once() -> Iterator[None]:
    """What a module leaves is walked over once, not after every test of the modules to come."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_left_behind(qapp: QApplication) -> Iterator[None]:
    """Fail when a test leaves windows or threads of the studio."""
    before = set(qapp.topLevelWidgets())
    yield
    qapp.processEvents()
    gc.collect()
    left = [widget for widget in qapp.topLevelWidgets() if widget not in before]
    left = [widget for widget in left if widget.isVisible()]
    assert not left, f"windows left open: {left}"
    threads = [t.name for t in threading.enumerate() if t.name.startswith(_OUR_THREADS)]
    assert not threads, f"threads left running: {threads}"


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Settings in a file of this test."""
    return Preferences(path=tmp_path / "studio.ini")


@pytest.fixture
def rasterizer() -> FakeRasterizer:
    """What draws: one colour, at once, with notes about how it was called."""
    return FakeRasterizer()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """What reads files: small documents, unless a test puts another function into it."""
    reader = Reader()
    monkeypatch.setattr(
        "polyorama.verbs.files_ops.open_with_source", reader.open_with_source
    )  # fmt: skip
    return reader


@pytest.fixture(autouse=True)
def own_journals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Journals, and pictures of files, lie in folders of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "journals"
    for module in ("journal", "recovery"):
        monkeypatch.setattr(f"polyorama.io.{module}.state_folder", lambda: folder)
    return folder


@pytest.fixture(autouse=True)
def cold_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools load what they need at their first use: beforehand it would outlast short tests."""
    monkeypatch.setattr("polyorama_studio.viewport.toolbox._warmed", _nothing)


def _nothing() -> None:
    pass


@pytest.fixture
def session(
    qtbot: QtBot, preferences: Preferences, rasterizer: FakeRasterizer, reader: Reader
) -> Iterator[Session]:
    """A session whose files are small documents and whose pictures are fakes."""
    session = Session(preferences=preferences, opener=reader, make_rasterizer=rasterizer.make)
    session.theme.apply()
    yield session
    session.close()


@pytest.fixture
def window(qtbot: QtBot, session: Session) -> Iterator[Window]:
    """A shown window of 1440 x 900."""
    window = Window(session)
    window.resize(1440, 900)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def opened(qtbot: QtBot, window: Window, tmp_path: Path) -> Window:
    """That window, with a document and its full picture."""
    window.session.open_files([tmp_path / "thing.splat"])
    qtbot.waitUntil(lambda: window.session.stage.picture is not None)
    qtbot.waitUntil(lambda: window.session.stage.idle)
    return window


@pytest.fixture
def views(qtbot: QtBot, session: Session, tmp_path: Path) -> Iterator[ViewGrid]:
    """The viewport with its views and strips, without a window round it, and a document in it."""
    views = ViewGrid(session, Viewport(session), None)
    views.resize(1000, 700)
    views.show()
    qtbot.waitExposed(views)
    session.open_files([tmp_path / "thing.splat"])
    stage = session.stage
    qtbot.waitUntil(lambda: stage.picture is not None and stage.idle, timeout=60_000)
    toolbox = views.main.toolbox
    qtbot.waitUntil(lambda: toolbox.layers.ground is not None and stage.idle, timeout=60_000)
    qtbot.waitUntil(lambda: toolbox.ready, timeout=60_000)
    yield views
    views.hide()
    views.deleteLater()
