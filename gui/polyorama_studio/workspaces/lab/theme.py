"""The look of the Lab: the house's, and on the stage one with more contrast."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from polyorama_studio.theme import HALL, Theme, Tokens

__all__ = ["LabTheme"]


class LabTheme(QObject):
    """Tokens of the views: those of the house, or on the stage those of a hall."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hall = False
        theme.changed.connect(self.changed)

    @property
    def tokens(self) -> Tokens:
        """Colours now."""
        return HALL if self._hall else self._theme.tokens

    def set_hall(self, on: bool) -> None:
        """More contrast, or as the house is."""
        if on != self._hall:
            self._hall = on
            self.changed.emit()
