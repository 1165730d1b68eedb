"""Offers the work back that an earlier program could not save."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QSize, Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible, shortened, tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent

    from polyorama.io.recovery import Recovery
    from polyorama_studio.session import Session

__all__ = ["RecoveryDialog"]

_SHOWN = 5


@guards
class _Row(QFrame):
    """One piece of work: what it is called, how much was done, when."""

    def __init__(self, session: Session, recovery: Recovery, parent: RecoveryDialog) -> None:
        super().__init__(parent)
        self.setObjectName("choiceRow")
        self.recovery = recovery
        self._dialog = parent
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        name = parent.tr("Untitled") if recovery.path is None else recovery.path.name
        title = QLabel(shortened(name, self.fontMetrics(), Metrics.recent_words), self)
        title.setTextFormat(Qt.TextFormat.PlainText)
        steps = (
            parent.tr("1 unsaved step") if recovery.steps == 1
            else parent.tr("{0} unsaved steps").format(recovery.steps)
        )  # fmt: skip
        if recovery.title:
            steps += parent.tr(", the last one: {0}").format(legible(recovery.title))
        detail = QLabel(steps, self)
        detail.setTextFormat(Qt.TextFormat.PlainText)
        detail.setProperty("quiet", True)
        when = QLabel(_when(recovery.time), self)
        when.setProperty("quiet", True)
        mark = QLabel(self)
        side = Metrics.icon
        mark.setPixmap(
            icon("recover", session.theme.tokens.color("accent")).pixmap(
                QSize(side, side), self.devicePixelRatioF()
            )
        )
        words = QVBoxLayout()
        words.setSpacing(Metrics.hair)
        words.addWidget(title)
        words.addWidget(detail)
        row = QHBoxLayout(self)
        gap = Metrics.space[1]
        row.setContentsMargins(gap, gap, gap, gap)
        row.setSpacing(Metrics.space[2])
        row.addWidget(mark)
        row.addLayout(words, 1)
        row.addWidget(when)
        self.setAccessibleName(f"{name}, {steps}, {when.text()}")
        if recovery.path is not None:
            self.setToolTip(tip(str(recovery.path)))

    def focusInEvent(self, event) -> None:
        """What has the focus is chosen."""
        super().focusInEvent(event)
        self._dialog.choose(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click chooses."""
        self._dialog.choose(self)


class RecoveryDialog(Dialog):
    """Recover, discard, or leave it for later."""

    def __init__(
        self, session: Session, recoveries: Sequence[Recovery], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.set_heading(self.tr("Bring your work back?"))
        words = QLabel(
            self.tr(
                "Polyorama ended before these changes were saved. Nothing of them is lost: bring "
                "them back, then save."
            ),
            self,
        )
        words.setWordWrap(True)
        words.setProperty("quiet", True)
        words.setMinimumWidth(Metrics.dialog_words)
        self.body.addWidget(words)
        self.rows = [_Row(session, recovery, self) for recovery in recoveries[:_SHOWN]]
        for row in self.rows:
            self.body.addWidget(row)
        self.chosen = self.rows[0]
        self.discard_button = self.add_button(self.tr("Discard"), self._discard)
        self.add_button(self.tr("Later"), self.reject)
        self.recover_button = self.add_button(self.tr("Bring back"), self._recover, primary=True)
        self.choose(self.rows[0])
        self.recover_button.setFocus()

    def choose(self, row: _Row) -> None:
        """Mark the row that the buttons are about."""
        self.chosen = row
        for other in self.rows:
            other.setProperty("chosen", other is row)
            other.style().unpolish(other)
            other.style().polish(other)

    @Slot()
    def _recover(self) -> None:
        self.accept()
        self._session.saving.recover(self.chosen.recovery)

    @Slot()
    def _discard(self) -> None:
        row = self.chosen
        self._session.saving.discard(row.recovery)
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
        if self.rows:
            self.choose(self.rows[0])
        else:
            self.reject()


def _when(time: datetime) -> str:
    """Day and time as people say it, in the person's own time zone."""
    local = time.astimezone()
    now = datetime.now().astimezone()
    clock = QLocale().toString(local.time(), QLocale.FormatType.ShortFormat)
    days = (now.date() - local.date()).days
    if days == 0:
        return f"Today, {clock}"
    if days == 1:
        return f"Yesterday, {clock}"
    return f"{QLocale().toString(local.date(), QLocale.FormatType.ShortFormat)}, {clock}"
