"""Rows of fields for a value with parameters: a style, an identity."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from polyorama.core.params import parameters_of
from polyorama_studio.fields.color import ColorField
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.simple import ChoiceField, SwitchField
from polyorama_studio.fields.words import choice_title, title_of
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama.core.params import Parameter
    from polyorama_studio.theme import Theme

__all__ = ["ValueForm"]

Field = NumberField | ChoiceField | SwitchField | ColorField


class ValueForm(QWidget):
    """A row a parameter of a frozen value.

    Parameters
    ----------
    theme
        Colours.
    python
        What a line of Python that sets a parameter begins with, such as "style".
    """

    begun = Signal()
    put = Signal(object)
    """The value while one drags."""
    ended = Signal(str)
    """The hand let go; the line of Python."""
    cancelled = Signal()

    def __init__(self, theme: Theme, python: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._python = theme, python
        self.value: Any = None
        self.fields: dict[str, Field] = {}
        self._kind: type | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Metrics.space[1])
        self._grid.setVerticalSpacing(Metrics.space[0])
        self._grid.setColumnStretch(1, 1)

    def show_value(self, value: Any) -> None:
        """Show a value; the rows are made for its kind."""
        if type(value) is not self._kind:
            self._make(value)
        self.value = value
        for name, field in self.fields.items():
            present = getattr(value, name)
            field.set_value(float(present) if isinstance(field, NumberField) else present)

    def _make(self, value: Any) -> None:
        while self._grid.count():
            item = self._grid.takeAt(0).widget()
            if item is not None:
                item.deleteLater()
        self.fields, self._kind = {}, type(value)
        for row, parameter in enumerate(parameters_of(type(value))):
            label = Label(_title(parameter), self)
            label.setFixedSize(Metrics.field_label, Metrics.control)
            field = self._field(parameter)
            call = f"{self._python}.{parameter.name}" if self._python else parameter.name
            words = "\n".join(filter(None, (parameter.help, call)))
            for widget in (label, field):
                widget.setToolTip(tip(words))
            self.fields[parameter.name] = field
            self._grid.addWidget(label, row, 0)
            switch = isinstance(field, SwitchField)
            side = Qt.AlignmentFlag.AlignLeft if switch else Qt.AlignmentFlag(0)
            self._grid.addWidget(field, row, 1, side)

    def _field(self, parameter: Parameter) -> Field:
        title = _title(parameter)
        if parameter.kind == "flag":
            switch = SwitchField(self._theme, title, self)
            switch.changed.connect(partial(self._at_once, parameter))
            return switch
        if parameter.kind == "choice":
            choices = [(choice, choice_title(choice)) for choice in parameter.choices]
            choice = ChoiceField(choices, title, self)
            choice.chosen.connect(partial(self._at_once, parameter))
            return choice
        if parameter.kind == "color":
            color = ColorField(parameter, self._theme, self)
            self._follow(color, parameter)
            return color
        shown = parameter
        if parameter.soft is None and parameter.high - parameter.low < 1e3:
            shown = replace(parameter, soft=(parameter.low, parameter.high))
        number = NumberField(shown, self._theme, self)
        number.setAccessibleName(title)
        self._follow(number, parameter)
        return number

    def _follow(self, field: NumberField | ColorField, parameter: Parameter) -> None:
        field.begun.connect(self.begun)
        field.changed.connect(partial(self._put, parameter))
        field.ended.connect(partial(self._end, parameter))
        field.cancelled.connect(self.cancelled)

    def _put(self, parameter: Parameter, value: Any) -> None:
        fresh = round(value) if parameter.kind == "whole" else value
        if parameter.kind == "number":
            fresh = float(f"{value:.6g}")  # a drag adds up steps, and with them their rounding
        self.value = replace(self.value, **{parameter.name: fresh})
        self.put.emit(self.value)

    def _at_once(self, parameter: Parameter, value: Any) -> None:
        self.begun.emit()
        self._put(parameter, value)
        self._end(parameter)

    def _end(self, parameter: Parameter) -> None:
        value = getattr(self.value, parameter.name)
        name = self._python
        self.ended.emit(f"{name} = replace({name}, {parameter.name}={value!r})")


def _title(parameter: Parameter) -> str:
    return title_of(parameter).replace(" color", "")
