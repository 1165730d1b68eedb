"""Above the grid: how much was found, grid or map, how large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible, tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Bar"]


class Bar(QFrame):
    """One line of words, a switch and a slider.

    Parameters
    ----------
    session, shelf
        See there.
    """

    view_chosen = Signal(str)
    """"grid" or "map"."""
    side_chosen = Signal(int)

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesBar")
        self._shelf = shelf
        self.words = QLabel(self)
        self.words.setProperty("quiet", "true")
        self.words.setFont(font(Metrics.label, tabular=True))
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.clear = QPushButton(self.tr("Show all"), self)
        self.clear.setProperty("tight", "true")
        self.clear.setToolTip(tip(self.tr("Forget words, pictures and filters")))
        self.clear.clicked.connect(shelf.question.clear)
        low, high = Metrics.shapes_cell
        self.size = QSlider(Qt.Orientation.Horizontal, self)
        self.size.setAccessibleName(self.tr("Size of pictures"))
        self.size.setToolTip(tip(self.tr("Size of pictures\nCtrl and wheel, too")))
        self.size.setRange(low, high)
        self.size.setValue(session.preferences.shapes_side)
        self.size.setFixedWidth(Metrics.field_label)
        self.view = SegmentField(
            session.theme, (("grid", self.tr("Grid")), ("map", self.tr("Map"))),
            self.tr("Grid or map"), self,
        )  # fmt: skip
        row = QHBoxLayout(self)
        gap = Metrics.space[2]
        row.setContentsMargins(gap, Metrics.space[1], gap, Metrics.space[1])
        row.setSpacing(gap)
        row.addWidget(self.words)
        row.addWidget(self.clear)
        row.addStretch(1)
        row.addWidget(self.size)
        row.addWidget(self.view)
        self.size.valueChanged.connect(self.side_chosen)
        self.view.chosen.connect(self.view_chosen)
        for signal in (shelf.found_changed, shelf.chosen_changed, shelf.overview_changed,
                       shelf.searching_changed, shelf.question.changed):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    def show_view(self, view: str) -> None:
        """Show which view it is; pictures have a size in the grid alone."""
        self.view.set_value(view)
        self.size.setVisible(view == "grid")

    @Slot(int)
    def show_side(self, side: int) -> None:
        """Show another size of pictures."""
        self.size.setValue(side)

    @Slot()
    def refresh(self) -> None:
        """Say how much was found."""
        shelf = self._shelf
        count = len(shelf.found)
        self.clear.setVisible(not shelf.question.is_plain)
        if shelf.watching:
            self.words.setText(self.tr("Looking at {0}").format(shelf.watching))
            return
        if not shelf.ready or not shelf.overview.count:
            self.words.setText("")
            return
        parts = [self.tr("1 shape") if count == 1 else self.tr("{0} shapes").format(f"{count:,}")]
        if not shelf.found.complete:
            parts = [self.tr("The best {0}").format(f"{count:,}")]
        if shelf.question.collection:
            parts[0] = self.tr("{0} in {1}").format(parts[0], legible(shelf.question.collection))
        if shelf.found.ranked:
            parts.append(self.tr("nearest first"))
            parts.append(f"{shelf.found.milliseconds:,.0f} ms")
        if len(shelf.chosen) > 1:
            parts.append(self.tr("{0} chosen").format(f"{len(shelf.chosen):,}"))
        self.words.setText(", ".join(parts))
