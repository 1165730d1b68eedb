"""At the right: the shape that is looked at, what is known of it, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.panels.parts import column_of, scrolled
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible, memory_text, tip
from polyorama_studio.workspaces.shapes.preview import Preview
from polyorama_studio.workspaces.shapes.shelf import title_of
from polyorama_studio.workspaces.shapes.views import ViewStrip

if TYPE_CHECKING:
    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.grid import Grid
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Facts"]


class Facts(QFrame):
    """Preview, name, facts, reasons, buttons.

    Parameters
    ----------
    session, shelf, grid
        See there.
    """

    placed = Signal()

    def __init__(self, session: Session, shelf: Shelf, grid: Grid, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesFacts")
        self.setFixedWidth(Metrics.shapes_preview)
        self.session, self._shelf = session, shelf
        self.asset: Asset | None = None
        self._shown: object = None
        self.preview = Preview(session, shelf, grid.spins, self)
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self.name = QLabel(inside)
        self.name.setProperty("heading", "true")
        self.name.setWordWrap(True)
        self.caption = QLabel(inside)
        self.caption.setProperty("quiet", "true")
        self.caption.setWordWrap(True)
        for label in (self.name, self.caption):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.place_button = QPushButton(self.tr("Place in the scene"), inside)
        self.place_button.setProperty("primary", "true")
        self.place_button.setToolTip(tip(self.tr("Put it where the view looks (Enter)")))
        self.similar_button = QPushButton(self.tr("Find similar"), inside)
        self.similar_button.setToolTip(tip(self.tr("Look for shapes that resemble it")))
        self.place_button.clicked.connect(self.placed)
        self.similar_button.clicked.connect(self._find_similar)
        self.why = QLabel(inside)
        self.why.setProperty("fine", "true")
        self.views = ViewStrip(session, inside)
        self.tags = QLineEdit(inside)
        self.tags.setPlaceholderText(self.tr("Tags, with commas between them"))
        self.tags.setAccessibleName(self.tr("Tags"))
        self.tags.editingFinished.connect(self._on_tags)
        self.origin = QLabel(inside)
        self.origin.setProperty("fine", "true")
        self.origin.setWordWrap(True)
        self._table = QWidget(inside)
        self._grid = QGridLayout(self._table)
        self._values: dict[str, QLabel] = {}
        self._make_table()
        self._lay_out(inside)
        shelf.chosen_changed.connect(self.refresh)
        shelf.thumbs.came.connect(self.refresh)
        shelf.explained.connect(self.refresh_reason)
        shelf.overview_changed.connect(self.refresh_reason)
        self.refresh()

    def _make_table(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Metrics.space[2])
        self._grid.setVerticalSpacing(Metrics.space[0])
        self._grid.setColumnStretch(1, 1)
        for row, (key, title) in enumerate(
            (
                ("made", self.tr("Made of")), ("size", self.tr("Size")),
                ("file", self.tr("File")), ("folder", self.tr("Folder")),
                ("licence", self.tr("Licence")),
            )
        ):  # fmt: skip
            label = QLabel(title, self._table)
            label.setProperty("fine", "true")
            value = QLabel(self._table)
            value.setProperty("figure", "true")
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, row, 1)
            self._values[key] = value

    def _lay_out(self, inside: QWidget) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.space[1])
        buttons.addWidget(self.place_button, 1)
        buttons.addWidget(self.similar_button, 1)
        column = column_of(inside)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, gap, gap, gap)
        column.setSpacing(Metrics.space[1])
        column.addWidget(self.name)
        column.addWidget(self.caption)
        column.addLayout(buttons)
        for widget in (self.why, self.views, self._table, self.tags, self.origin):
            column.addWidget(widget)
        column.addStretch(1)
        self._inside = inside
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.preview)
        outer.addWidget(scrolled(inside, self), 1)

    @Slot()
    def refresh(self) -> None:
        """Show what is known of the shape that is looked at."""
        asset = self._shelf.asset(self._shelf.current)
        if self._shelf.current >= 0 and asset is None:
            self._shelf.thumbs.want("facts", [self._shelf.current])
            return
        shown = (asset, len(self._shelf.chosen))
        if shown == self._shown and asset is not None:
            return
        self._shown = shown
        other = asset is None or self.asset is None or asset.id != self.asset.id
        self.asset = asset
        self._inside.setVisible(asset is not None)
        if asset is not None:
            self._show(asset)
            if other or not self.tags.hasFocus():
                self.tags.setText(", ".join(asset.tags))
        self.refresh_reason()

    def _show(self, asset: Asset) -> None:
        title = title_of(asset)
        more = len(self._shelf.chosen) - 1
        self.name.setText(self.tr("{0} and {1} more").format(title, f"{more:,}") if more else title)
        caption = legible(asset.caption)
        self.caption.setText(caption)
        self.caption.setVisible(bool(caption) and caption.casefold() != title.casefold())
        counts = []
        if asset.polygons is not None:
            counts.append(self.tr("{0} polygons").format(f"{asset.polygons:,}"))
        if asset.splats is not None:
            counts.append(self.tr("{0} splats").format(f"{asset.splats:,}"))
        texts = {
            "made": ", ".join(counts) or self.tr("unknown"),
            "size": self._size_text(asset),
            "file": f"{asset.format.upper()}, {memory_text(asset.bytes)}",
            "folder": legible(str(asset.path.parent)),
            "licence": asset.licence or self.tr("not known"),
        }
        for key, text in texts.items():
            label = self._values[key]
            label.setToolTip(tip(str(asset.path)) if key in ("file", "folder") else "")
            room = Metrics.shapes_preview - Metrics.field_label - 3 * Metrics.space[3]
            label.setText(label.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room))

    def _size_text(self, asset: Asset) -> str:
        if not any(asset.size):
            return self.tr("unknown")
        # A file's own unit is metres by custom; few files say so.
        unit = self.session.preferences.unit
        sides = " \N{MULTIPLICATION SIGN} ".join(f"{side:.3g}" for side in asset.size)
        return f"{sides} {unit}"

    @Slot()
    def refresh_reason(self) -> None:
        """Show why it matched."""
        reason, shelf = self._shelf.reason, self._shelf
        asks = self.asset is not None and shelf.question.query().asks
        self.views.show_reason(reason if asks else None)
        best = self.views.best
        self.why.setVisible(asks and best >= 0)
        if best >= 0 and reason is not None:
            text = self.tr("View {0} of {1} matched best, similarity {2}")
            self.why.setText(
                text.format(best + 1, len(reason.scores), f"{float(reason.scores[best]):.2f}")
            )
        origin = shelf.overview.origin
        self.origin.setText(self.tr("Compared by {0}").format(origin))
        self.origin.setVisible(bool(origin))

    @Slot()
    def _find_similar(self) -> None:
        self._shelf.find_similar(self._shelf.assets)

    @Slot()
    def _on_tags(self) -> None:
        if self.asset is None:
            return
        tags = tuple(dict.fromkeys(t.strip() for t in self.tags.text().split(",") if t.strip()))
        if tags != self.asset.tags:
            self._shelf.set_tags(self.asset, tags)
