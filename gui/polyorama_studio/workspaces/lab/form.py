"""Parameters of the run as fields: live ones take hold at once, others with the next start."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.simple import ChoiceField, SwitchField
from polyorama_studio.fields.vector import VectorField
from polyorama_studio.fields.words import choice_title, title_of
from polyorama_studio.panels.parts import column_of
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama.core.params import Parameter
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run

__all__ = ["ParameterForm"]

Field = NumberField | VectorField | SwitchField | ChoiceField


class ParameterForm(QWidget):
    """A row a parameter; at the foot, what waits for a new start."""

    def __init__(self, session: Session, run: Run, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._run = run
        self.fields: dict[str, Field] = {}
        self._labels: dict[str, Label] = {}
        self._kind: object = None
        self._rows = QWidget(self)
        self._rows.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._grid = QGridLayout(self._rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Metrics.space[1])
        self._grid.setVerticalSpacing(Metrics.space[0])
        self._grid.setColumnStretch(1, 1)
        self.restart = QPushButton(self)
        self.restart.setProperty("primary", "true")
        self.restart.clicked.connect(run.restart)
        self.defaults = QPushButton(self.tr("Back to defaults"), self)
        self.defaults.setProperty("plain", "true")
        self.defaults.setToolTip(tip(self.tr("Give all parameters the values they come with")))
        self.defaults.clicked.connect(self._reset)
        foot = QHBoxLayout()
        foot.setSpacing(Metrics.space[1])
        foot.addWidget(self.defaults)
        foot.addStretch(1)
        foot.addWidget(self.restart)
        column = column_of(self)
        column.setContentsMargins(Metrics.hair, 0, Metrics.hair, 0)
        column.addWidget(self._rows)
        column.addLayout(foot)
        run.loaded_changed.connect(self._fill)
        run.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def _fill(self) -> None:
        loaded = self._run.loaded
        assert loaded is not None
        if loaded.kind is self._kind:
            return
        self._kind = loaded.kind
        for widget in (*self.fields.values(), *self._labels.values()):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.fields, self._labels = {}, {}
        for row, parameter in enumerate(loaded.kind.parameters()):
            label = Label(title_of(parameter), self._rows)
            label.setFixedSize(Metrics.lab_label, Metrics.control)
            field = self._made(parameter)
            words = _tip_of(parameter)
            for widget in (label, field):
                widget.setToolTip(tip(words))
            self._labels[parameter.name], self.fields[parameter.name] = label, field
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignLeft)
            # A switch is as wide as it is; its column is not.
            switch = isinstance(field, SwitchField)
            side = Qt.AlignmentFlag.AlignLeft if switch else Qt.AlignmentFlag(0)
            self._grid.addWidget(field, row, 1, side)
        self.refresh()

    def _made(self, parameter: Parameter) -> Field:
        theme, title = self._session.theme, title_of(parameter)
        change = partial(self._change, parameter)
        if parameter.kind == "flag":
            switch = SwitchField(theme, title, self._rows)
            switch.changed.connect(change)
            return switch
        if parameter.kind == "choice":
            loaded = self._run.loaded
            rivals = {} if loaded is None else {r.id: r.title for r in loaded.kind.rivals}
            choices = [(c, rivals.get(c) or choice_title(c)) for c in parameter.choices]
            choice = ChoiceField(choices, title, self._rows)
            choice.chosen.connect(change)
            return choice
        if parameter.kind in ("vector", "color"):
            vector = VectorField(parameter, theme, self._rows)
            vector.component_changed.connect(partial(self._change_component, parameter))
            return vector
        number = NumberField(parameter, theme, self._rows)
        number.setAccessibleName(title)
        number.changed.connect(change)
        number.ended.connect(partial(self._tell, parameter))
        return number

    def _change(self, parameter: Parameter, value: Any) -> None:
        if parameter.kind == "whole":
            value = round(value)
        elif parameter.kind == "number":
            value = float(f"{value:.9g}")  # a drag adds up steps, and with them their rounding
        self._run.set_value(parameter, value)
        if parameter.kind in ("flag", "choice"):
            self._tell(parameter)

    def _change_component(self, parameter: Parameter, index: int, number: float) -> None:
        old = self._run.value(parameter.name)
        fresh = tuple(number if i == index else v for i, v in enumerate(old))
        self._run.set_value(parameter, fresh)

    def _tell(self, parameter: Parameter) -> None:
        """The Python line of a change that took hold."""
        if parameter.live:
            value = self._run.value(parameter.name)
            self._session.log_python(f"run.set({parameter.name!r}, {value!r})")

    @Slot()
    def _reset(self) -> None:
        loaded = self._run.loaded
        if loaded is not None:
            for parameter in loaded.kind.parameters():
                if self._run.value(parameter.name) != parameter.default:
                    self._run.set_value(parameter, parameter.default)

    @Slot()
    def refresh(self) -> None:
        """Show the values, and what waits for a new start."""
        loaded = self._run.loaded
        pending = len(self._run.pending)
        self.restart.setVisible(pending > 0)
        self.restart.setText(self.tr("Start again with these"))
        changed = False
        if loaded is not None and loaded.kind is self._kind:
            for parameter in loaded.kind.parameters():
                value = self._run.value(parameter.name)
                changed = changed or value != parameter.default
                self._show(self.fields[parameter.name], value)
        self.defaults.setVisible(changed)

    def _show(self, field: Field, value: Any) -> None:
        if isinstance(field, VectorField):
            field.set_values([value])
        elif isinstance(field, NumberField):
            field.set_value(float(value))
        else:
            field.set_value(value)


def _tip_of(parameter: Parameter) -> str:
    lines = [parameter.help] if parameter.help else []
    if parameter.kind in ("number", "whole"):
        lines.append("Drag sideways, or click and type; Backspace resets")
    lines.append("Changes at once" if parameter.live else "Takes hold when the run starts again")
    lines.append(f"run.set({parameter.name!r}, ...)" if parameter.live else parameter.name)
    return "\n".join(lines)
