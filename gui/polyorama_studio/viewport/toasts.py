"""Toasts: short cards in the corner of the viewport, each with at most one action."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEasingCurve,
    QPoint,
    QPropertyAnimation,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import first_line, legible

if TYPE_CHECKING:
    from polyorama_studio.session import Notice, Session

__all__ = ["Toast", "ToastStack"]

_ICONS = {"info": "info", "good": "done", "warn": "warning", "bad": "warning"}
_SHORT_MS = 5000
_ACTION_MS = 8000
"""With something to press there is more to read, and a way for the hand."""
_MOST = 3


class Toast(QFrame):
    """One card."""

    closed = Signal(object)

    def __init__(self, session: Session, notice: Notice, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self.notice = notice
        self._session = session
        said = first_line(notice.text)  # all of it is among the messages
        self.setAccessibleName(said)
        mark = QLabel(self)
        tokens = session.theme.tokens
        token = "quiet" if notice.kind == "info" else notice.kind
        side = Metrics.icon
        mark.setFixedHeight(Metrics.control - Metrics.hair)
        mark.setPixmap(
            icon(_ICONS[notice.kind], tokens.color(token)).pixmap(
                QSize(side, side), self.devicePixelRatioF()
            )
        )
        words = QLabel(_breakable(said), self)
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        wide = words.fontMetrics().horizontalAdvance(said) + Metrics.hair
        words.setFixedWidth(min(wide, Metrics.toast_words))
        words.setContentsMargins(0, Metrics.line_gap, 0, Metrics.line_gap)
        self._words = words
        away = QToolButton(self)
        away.setIcon(icon("close", tokens.color("quiet")))
        away.setIconSize(QSize(Metrics.close_mark, Metrics.close_mark))
        away.setToolTip(self.tr("Close"))
        away.setAccessibleName(self.tr("Close"))
        away.clicked.connect(self.dismiss)
        column = QVBoxLayout()
        column.setSpacing(Metrics.space[1])
        column.addWidget(words)
        if notice.action is not None:
            button = QPushButton(notice.action_title, self)
            button.clicked.connect(self._act)
            row = QHBoxLayout()
            row.addWidget(button)
            row.addStretch(1)
            column.addLayout(row)
        layout = QHBoxLayout(self)
        gap = Metrics.space[2]
        layout.setContentsMargins(gap, gap - Metrics.hair, Metrics.space[1], gap - Metrics.hair)
        layout.setSpacing(Metrics.space[1])
        top = Qt.AlignmentFlag.AlignTop
        layout.addWidget(mark, 0, top)
        layout.addLayout(column, 1)
        layout.addWidget(away, 0, top)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        if notice.kind != "bad":
            self._timer.start(_SHORT_MS if notice.action is None else _ACTION_MS)
        self._slide = QPropertyAnimation(self, b"pos", self)
        self._slide.setDuration(Metrics.motion)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)

    def slide_to(self, end: QPoint, *, entering: bool) -> None:
        """Move to a place in the motion's time; a new toast comes in from the right."""
        if entering:
            self.move(end + QPoint(Metrics.space[4], 0))
        self._slide.stop()
        self._slide.setStartValue(self.pos())
        self._slide.setEndValue(end)
        self._slide.start()

    @Slot()
    def dismiss(self) -> None:
        """Go away."""
        self._timer.stop()
        self._slide.stop()
        self.closed.emit(self)

    @Slot()
    def _act(self) -> None:
        action = self.notice.action
        self.dismiss()
        if action is not None:
            action()


class ToastStack(QWidget):
    """Places toasts at the bottom right of its parent, the newest lowest; three at most."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._over = parent
        self.toasts: list[Toast] = []
        self.hide()  # It has no face of its own; the toasts are the parent's children.
        session.notice.connect(self.add)

    @Slot(object)
    def add(self, notice: Notice) -> None:
        """Show a notice; one with the same words replaces the older."""
        for toast in list(self.toasts):
            if toast.notice.text == notice.text:
                toast.dismiss()
        toast = Toast(self._session, notice, self._over)
        toast.closed.connect(self._remove)
        self.toasts.append(toast)
        while len(self.toasts) > _MOST:
            self.toasts[0].dismiss()
        self.place(entering=toast)
        toast.show()
        toast.raise_()

    @Slot(object)
    def _remove(self, toast: Toast) -> None:
        if toast in self.toasts:
            self.toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
            self.place()

    def place(self, entering: Toast | None = None) -> None:
        """Stack all toasts anew, after one came or went or the viewport changed its size."""
        parent = self._over
        margin = Metrics.space[3]
        bottom = parent.height() - margin
        for toast in reversed(self.toasts):
            width = min(Metrics.toast_width, parent.width() - 2 * margin)
            toast.setMaximumWidth(width)
            toast.adjustSize()
            size = toast.size()
            if toast.hasHeightForWidth():
                toast.resize(size.width(), toast.heightForWidth(size.width()))
            bottom -= toast.height()
            end = QPoint(parent.width() - margin - toast.width(), bottom)
            toast.slide_to(end, entering=toast is entering)
            bottom -= Metrics.space[1]


def _breakable(text: str) -> str:
    """Let long paths break before their slashes, and long names anywhere (zero-width spaces)."""
    parts = re.sub(r"(?<=\S)(?=[/\\])", "\u200b", legible(text))
    return re.sub(r"[^\s\u200b]{25}(?=[^\s\u200b])", "\\g<0>\u200b", parts)
