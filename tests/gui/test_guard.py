"""What breaks in a method that Qt calls is told, and ends nothing."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

import polyorama_studio
from polyorama.errors import UsageError
from polyorama_studio import guard
from polyorama_studio.guard import guards, overrides

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session


def _modules() -> list[str]:
    found = pkgutil.walk_packages(polyorama_studio.__path__, "polyorama_studio.")
    return [m.name for m in found if m.name != "polyorama_studio.__main__"]


@pytest.mark.parametrize("name", _modules())
def test_every_method_that_qt_calls_is_guarded(name: str) -> None:
    module = importlib.import_module(name)
    bare = [
        f"{kind.__qualname__}.{method}"
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == name
        for method in overrides(kind)
        if not getattr(vars(kind)[method], "is_guarded", False)
    ]
    assert bare == []


@pytest.fixture(autouse=True)
def own_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests look for faults that were told; those of this file are meant."""
    monkeypatch.setattr(guard, "_told", set())


@guards
class _Broken(QWidget):
    """Raises wherever Qt calls it."""

    def paintEvent(self, event) -> None:
        self.painter = None
        painter = QPainter(self)
        raise ZeroDivisionError(f"while painting {painter.isActive()}")

    def sizeHint(self) -> QSize:
        raise ZeroDivisionError("while it was measured")


@guards
class _BrokenModel(QAbstractListModel):
    def rowCount(self, parent: QModelIndex | None = None) -> int:
        raise KeyError("rows")

    def data(self, index: QModelIndex, role: int = 0) -> object:
        raise KeyError("data")


def test_a_fault_is_told_once_and_qt_goes_on(qtbot: QtBot) -> None:
    broken = _Broken()
    qtbot.addWidget(broken)
    broken.resize(20, 20)
    with qtbot.captureExceptions() as told:
        for _ in range(3):
            assert not broken.grab().isNull()
        assert broken.sizeHint() == QSize()
        model = _BrokenModel()
        assert model.rowCount() == 0
        assert model.data(QModelIndex()) is None
    assert sorted(str(error) for _, error, _ in told) == [
        "'data'", "'rows'", "while it was measured", "while painting True",
    ]  # fmt: skip


def test_what_the_engine_says_is_told_in_its_own_words(qtbot: QtBot, session: Session) -> None:
    @guards
    class Panel(QWidget):
        def __init__(self) -> None:
            super().__init__()
            self._session = session

        def leaveEvent(self, event) -> None:
            raise UsageError("There is no such thing.")

    panel = Panel()
    qtbot.addWidget(panel)
    panel.leaveEvent(None)
    assert [told.notice.text for told in session.told] == ["There is no such thing."]
