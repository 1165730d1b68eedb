"""Icons: drawn at the size asked for; one that is missing is empty, and said in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from polyorama_studio.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def _is_empty(image: QImage) -> bool:
    blank = QImage(image.size(), image.format())
    blank.fill(0)
    return image == blank


@pytest.mark.parametrize(("name", "empty"), [("undo", False), ("no-such-icon", True)])
def test_a_missing_icon_is_empty_and_logged(
    qapp: QApplication, caplog: pytest.LogCaptureFixture, name: str, empty: bool
) -> None:
    picture = icon(name, QColor("#ffffff")).pixmap(QSize(16, 16)).toImage()
    assert picture.width() >= 16
    picture.convertTo(QImage.Format.Format_ARGB32_Premultiplied)
    assert _is_empty(picture) is empty
    assert (f"There is no icon {name}" in caplog.text) is empty
