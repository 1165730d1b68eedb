"""Version and licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

import polyorama
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["AboutDialog"]


class AboutDialog(Dialog):
    """Version and licence."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Polyorama"))
        words = QLabel(
            self.tr(
                "Edit splat scenes, find shapes, make faces talk, and watch learning happen.\n\n"
                "Version {0}, Apache License 2.0"
            ).format(polyorama.__version__),
            self,
        )
        words.setWordWrap(True)
        words.setMinimumWidth(Metrics.toast_width - 2 * Metrics.space[4])
        words.setProperty("quiet", True)
        self.body.addWidget(words)
        self.add_button(self.tr("Close"), self.accept, primary=True)
