"""Several numbers side by side, in the colours of their axes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from polyorama_studio.fields.number import NumberField
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.params import Parameter
    from polyorama_studio.theme import Theme

__all__ = ["VectorField"]

_COLORS = {"x": "axis_x", "y": "axis_y", "z": "axis_z"}


class VectorField(QWidget):
    """A number field for each component of a vector.

    Parameters
    ----------
    parameter
        With `components`.
    theme
        Colours.
    """

    begun = Signal()
    component_changed = Signal(int, float)
    ended = Signal()
    cancelled = Signal()

    def __init__(self, parameter: Parameter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.hair)
        self.numbers: list[NumberField] = []
        one = replace(parameter, kind="number", default=0.0)
        for i, name in enumerate(parameter.components):
            color = _COLORS.get(name, "quiet")
            field = NumberField(
                one, theme, self, label=name, color=color, default=parameter.default[i]
            )
            field.setMinimumWidth(Metrics.control)
            field.begun.connect(self.begun)
            field.ended.connect(self.ended)
            field.cancelled.connect(self.cancelled)
            field.changed.connect(partial(self._on_changed, i))
            row.addWidget(field, 1)
            self.numbers.append(field)
        self.setFocusProxy(self.numbers[0])

    def _on_changed(self, index: int, value: float) -> None:
        self.component_changed.emit(index, value)

    @property
    def value(self) -> tuple[float, ...]:
        """The numbers shown."""
        return tuple(field.value for field in self.numbers)

    def set_values(self, values: Sequence[Sequence[float]]) -> None:
        """Show what one or several owners have, each component by itself."""
        for i, field in enumerate(self.numbers):
            column = [value[i] for value in values]
            field.set_value(column[0], mixed=any(v != column[0] for v in column))
