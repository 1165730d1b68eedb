"""A property in a panel: its name, its field, its diamond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMenu, QToolTip, QWidget

from polyorama_studio.fields.buttons import IconButton
from polyorama_studio.fields.color import ColorField
from polyorama_studio.fields.diamond import KeyDiamond
from polyorama_studio.fields.link import EMPTY, KEYED, PropertyLink
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.simple import ChoiceField, SwitchField
from polyorama_studio.fields.vector import VectorField
from polyorama_studio.fields.words import choice_title
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent, QShowEvent

__all__ = ["Label", "PropertyRow"]

Field = NumberField | VectorField | ColorField | SwitchField | ChoiceField


@guards
class Label(QLabel):
    """A quiet name before or above a field; what does not fit ends in dots."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("fine", "true")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(1)
        self._whole = text
        self.setText(text)

    def resizeEvent(self, event: Any) -> None:
        """Shorten the text to the room that there is."""
        width = self.width()
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, width))
        super().resizeEvent(event)


@guards
class PropertyRow(QWidget):
    """The right field for a property, bound to it.

    Parameters
    ----------
    link
        The property; the row takes it over.
    labelled
        Whether its name stands before it, or above it where it is a vector.
    """

    def __init__(
        self, link: PropertyLink, parent: QWidget | None = None, *, labelled: bool = True
    ) -> None:
        super().__init__(parent)
        self.link = link
        link.setParent(self)
        session = link.session
        self.diamond = KeyDiamond(session.theme, link.title, self)
        self.diamond.setVisible(link.keyable)
        self.diamond.clicked.connect(link.toggle_key)
        self.field = self._made()
        self.label = Label(link.title, self)
        self.label.setVisible(labelled)
        self.chain = self._chain()
        self._lay_out(labelled)
        session.editing.edited.connect(self._on_edited)
        session.playback.time_changed.connect(self._on_time)
        self.refresh()

    def _made(self) -> Field:
        link, theme = self.link, self.link.session.theme
        parameter = link.parameter
        if parameter.kind == "vector":
            vector = VectorField(parameter, theme, self)
            vector.component_changed.connect(link.set_component)
            for number, name in zip(vector.numbers, parameter.components, strict=True):
                number.setAccessibleName(f"{link.title} {name}")
            self._bind(vector)
            return vector
        if parameter.kind == "color":
            color = ColorField(parameter, theme, self)
            color.changed.connect(link.set)
            color.begun.connect(link.begin)
            color.ended.connect(link.end)
            color.cancelled.connect(link.cancel)
            color.swatch.setAccessibleName(link.title)
            return color
        if parameter.kind == "flag":
            switch = SwitchField(theme, link.title, self)
            switch.changed.connect(link.change)
            return switch
        if parameter.kind == "choice":
            choices = [(choice, choice_title(choice)) for choice in parameter.choices]
            choice = ChoiceField(choices, link.title, self)
            choice.chosen.connect(link.change)
            return choice
        number = NumberField(parameter, theme, self)
        number.setAccessibleName(link.title)
        number.changed.connect(self._on_number)
        self._bind(number)
        return number

    def _bind(self, field: NumberField | VectorField) -> None:
        field.begun.connect(self.link.begin)
        field.ended.connect(self.link.end)
        field.cancelled.connect(self.link.cancel)

    @Slot(float)
    def _on_number(self, value: float) -> None:
        self.link.set(round(value) if self.link.parameter.kind == "whole" else value)

    def _chain(self) -> IconButton | None:
        """What keeps a scale's proportions."""
        if self.link.parameter.name != "scale" or self.link.parameter.kind != "vector":
            return None
        title = self.tr("Keep proportions")
        chain = IconButton(self.link.session.theme, "chain", title, self)
        chain.setCheckable(True)
        chain.toggled.connect(self._on_chain)
        return chain

    @Slot(bool)
    def _on_chain(self, checked: bool) -> None:
        self.link.proportional = checked

    def _lay_out(self, labelled: bool) -> None:
        self.label.setFixedHeight(Metrics.space[3] if self.stacked else Metrics.control)
        side = QHBoxLayout()
        side.setSpacing(0)
        side.addWidget(self.field, 1)
        if isinstance(self.field, SwitchField):
            side.addStretch(1)
        side.addWidget(self.diamond)
        if not self.link.keyable:
            side.addSpacing(Metrics.diamond_box)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(Metrics.space[1])
        grid.setVerticalSpacing(0)
        if self.stacked and labelled:
            top = QHBoxLayout()
            top.addWidget(self.label, 1)
            if self.chain is not None:
                self.chain.setFixedHeight(Metrics.space[3])
                top.addWidget(self.chain)
                top.addSpacing(Metrics.diamond_box)
            grid.addLayout(top, 0, 0)
            grid.addLayout(side, 1, 0)
        elif labelled:
            self.label.setFixedWidth(Metrics.field_label)
            grid.addWidget(self.label, 0, 0)
            grid.addLayout(side, 0, 1)
            grid.setColumnStretch(1, 1)
        else:
            grid.addLayout(side, 0, 0)

    @property
    def stacked(self) -> bool:
        """Whether the name stands above the field."""
        return isinstance(self.field, VectorField)

    # Showing

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        if self.isVisible():
            self.refresh()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.isVisible() and (self.diamond.state != EMPTY or self.link.keyed != EMPTY):
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is shown now."""
        self.refresh()
        super().showEvent(event)

    def refresh(self) -> None:
        """Show the value at the playhead, and whether it is keyed."""
        values = self.link.values()
        self.setEnabled(values is not None)
        if not values:
            return
        first, field = values[0], self.field
        mixed = any(value != first for value in values)
        if isinstance(field, VectorField):
            field.set_values(values)
        elif isinstance(field, NumberField):
            field.set_value(float(first), mixed=mixed)
        else:
            field.set_value(first, mixed=mixed)
        self.diamond.set_state(self.link.keyed)

    def retarget(self, owners: Sequence[str]) -> None:
        """Show the same property of others."""
        self.link.retarget(owners)
        if self.isVisible():
            self.refresh()

    def event(self, event: QEvent) -> bool:
        """What it does is put together when it is asked for: values change far more often."""
        if event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.link.tip), self)
            return True
        return super().event(event)

    # Menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Keys, default, Python."""
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos() + QPoint(1, 1))
        event.accept()

    def menu(self) -> QMenu:
        """What can be done with the property."""
        menu, link = QMenu(self), self.link
        if link.keyable:
            here = link.keyed == KEYED
            title = self.tr("Remove key at the playhead") if here else self.tr("Key here")
            menu.addAction(title).triggered.connect(link.toggle_key)
            remove = menu.addAction(self.tr("Remove all keys"))
            remove.triggered.connect(link.remove_all_keys)
            remove.setEnabled(link.keyed != EMPTY)
            menu.addSeparator()
        menu.addAction(self.tr("Reset to default")).triggered.connect(link.reset)
        menu.addAction(self.tr("Copy as Python")).triggered.connect(self._copy)
        return menu

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.link.python)
