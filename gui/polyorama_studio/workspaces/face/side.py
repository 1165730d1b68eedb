"""At the left: the face itself, the emotion and its map, what moves it, its style."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from polyorama.core.params import parameter_of
from polyorama.scene.faces.script import FaceScript, FaceStyle
from polyorama_studio.fields.buttons import IconButton
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.fields.simple import SwitchField
from polyorama_studio.panels.parts import Section, column_of, scrolled
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible, shortened, tip
from polyorama_studio.workspaces.face.emotion_map import EmotionMap
from polyorama_studio.workspaces.face.feelings import Feelings
from polyorama_studio.workspaces.face.form import ValueForm

if TYPE_CHECKING:
    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["Side"]

_SOFT_SPEAKERS = 8


class _Rig(QWidget):
    """Which face it is, and how one comes to another."""

    open_asked = Signal(bool)
    """A file is to be chosen; True to fit a mesh."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        theme = desk.session.theme
        self.name = QLabel(self)
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.puppet = QPushButton(self.tr("Puppet"), self)
        self.puppet.setToolTip(tip(self.tr("The puppet as it comes\nbuild_head()")))
        self.open = QPushButton(self.tr("Open..."), self)
        self.open.setToolTip(tip(self.tr(
            "A face of a file: glTF, ICT, MakeHuman, FLAME\nopen_rig(path)"
        )))  # fmt: skip
        self.fit = QPushButton(self.tr("Fit to mesh..."), self)
        self.fit.setToolTip(tip(self.tr(
            "Give any head the shapes of the puppet\nfitted_rig(mesh, template)"
        )))  # fmt: skip
        row = QHBoxLayout()
        row.setSpacing(Metrics.space[0])
        for button in (self.puppet, self.open, self.fit):
            button.setProperty("tight", "true")
            row.addWidget(button, 1)
        self.looks = Section(theme, self.tr("Looks"), self)
        self.looks.set_open(False)
        self.form = ValueForm(theme, "identity", self.looks.body)
        self.looks.content.addWidget(self.form)
        self.missing = QLabel(self)
        self.missing.setProperty("fine", "true")
        self.missing.setWordWrap(True)
        column = column_of(self)
        column.setSpacing(Metrics.space[1])
        for part in (self.name, row, self.missing, self.looks):
            if isinstance(part, QWidget):
                column.addWidget(part)
            else:
                column.addLayout(part)
        self.puppet.clicked.connect(desk.set_puppet)
        self.open.clicked.connect(partial(self.open_asked.emit, False))
        self.fit.clicked.connect(partial(self.open_asked.emit, True))
        self.form.put.connect(self._on_put)
        self.form.ended.connect(self._on_ended)
        desk.rig_changed.connect(self.refresh)
        self.refresh()

    def _on_put(self, identity: Any) -> None:
        self._desk.set_identity(identity, final=False)

    def _on_ended(self, python: str) -> None:
        self._desk.set_identity(self.form.value, final=True, python=python)

    @Slot()
    def refresh(self) -> None:
        """Show what is there."""
        desk = self._desk
        rig = desk.rig
        name = self.tr("Building the puppet")
        if rig is not None:
            name = legible(rig.name) or self.tr("Face")
            name = name[:1].upper() + name[1:]
        room = Metrics.face_side - 2 * Metrics.space[3]
        self.name.setText(shortened(name, self.name.fontMetrics(), room))
        self.name.setToolTip(tip(rig.credit) if rig is not None and rig.credit else "")
        missing = () if rig is None else rig.missing
        few = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        self.missing.setText(self.tr("Without {0} shapes ({1})").format(len(missing), few))
        self.missing.setVisible(bool(missing))
        self.looks.setVisible(desk.identity is not None)
        if desk.identity is not None:
            self.form.show_value(desk.identity)


class _Moving(QWidget):
    """What moves the face: model, rules or a mix; speaker, take, temperature, blinks and gaze."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        theme = desk.session.theme
        self.source = SegmentField(
            theme,
            [("model", self.tr("Model")), ("rules", self.tr("Rules")), ("mix", self.tr("Mix"))],
            self.tr("What moves the face"), self,
        )  # fmt: skip
        self.source.setToolTip(tip(self.tr("What moves the face\nscript.source")))
        grid = QGridLayout()
        grid.setHorizontalSpacing(Metrics.space[1])
        grid.setVerticalSpacing(Metrics.space[0])
        grid.setColumnStretch(1, 1)
        self.fields: dict[str, NumberField] = {}
        self._labels: dict[str, Label] = {}
        for row, (name, title, soft) in enumerate((
            ("mix", self.tr("Share of model"), (0.0, 1.0)),
            ("speaker", self.tr("Speaker"), (0.0, float(_SOFT_SPEAKERS - 1))),
            ("seed", self.tr("Take"), None),
            ("temperature", self.tr("Temperature"), (0.0, 1.5)),
        )):  # fmt: skip
            parameter = replace(parameter_of(FaceScript, name), soft=soft)
            field = NumberField(parameter, theme, self)
            field.setAccessibleName(title)
            label = Label(title, self)
            label.setFixedSize(Metrics.field_label, Metrics.control)
            for widget in (label, field):
                widget.setToolTip(tip(f"{parameter.help}\nscript.{name}"))
            field.begun.connect(partial(self._on_begun, title))
            field.changed.connect(partial(self._on_changed, name))
            field.ended.connect(self._on_ended)
            field.cancelled.connect(desk.cancel)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
            self.fields[name], self._labels[name] = field, label
        self.nonverbal = SwitchField(theme, self.tr("Blinks, gaze, head and breath"), self)
        self.nonverbal.setToolTip(tip(self.tr("Blinks, gaze, head and breath\nscript.nonverbal")))
        label = Label(self.tr("Lively"), self)
        label.setFixedSize(Metrics.field_label, Metrics.control)
        grid.addWidget(label, len(self.fields), 0)
        grid.addWidget(self.nonverbal, len(self.fields), 1, Qt.AlignmentFlag.AlignLeft)
        column = column_of(self)
        column.setSpacing(Metrics.space[1])
        column.addWidget(self.source)
        column.addLayout(grid)
        self.source.chosen.connect(self._on_source)
        self.nonverbal.changed.connect(self._on_nonverbal)
        desk.changed.connect(self.refresh)
        self.refresh()

    @Slot(str)
    def _on_source(self, source: str) -> None:
        title = self.tr("Let {0} move the face").format(source)
        self._desk.change(title, source=source)

    @Slot(bool)
    def _on_nonverbal(self, on: bool) -> None:
        title = self.tr("Blinks, gaze, head and breath")
        self._desk.change(title, nonverbal=on)

    def _on_begun(self, title: str) -> None:
        self._desk.begin(self.tr("Change {0}").format(title.lower()))

    def _on_changed(self, name: str, value: float) -> None:
        whole = name in ("speaker", "seed")
        fresh = round(value) if whole else float(f"{value:.4g}")
        self._desk.put(replace(self._desk.script, **{name: fresh}))

    @Slot()
    def _on_ended(self) -> None:
        self._desk.end()

    @Slot()
    def refresh(self) -> None:
        """Show the script's values."""
        script = self._desk.script
        self.source.set_value(script.source)
        self.nonverbal.set_value(script.nonverbal)
        for name, field in self.fields.items():
            field.set_value(float(getattr(script, name)))
        for name, shown in (
            ("mix", script.source == "mix"), ("seed", script.source != "rules"),
            ("temperature", script.source != "rules"),
        ):  # fmt: skip
            self.fields[name].setVisible(shown)
            self._labels[name].setVisible(shown)


class Side(QFrame):
    """A column that scrolls."""

    open_asked = Signal(bool)
    swap_asked = Signal()

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceSide")
        self.setFixedWidth(Metrics.face_side)
        self._desk = desk
        theme = desk.session.theme
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self.rig_section = Section(theme, self.tr("Face"), inside)
        self.rig = _Rig(desk, self.rig_section.body)
        self.emotion_section = Section(theme, self.tr("Emotion"), inside)
        self.map = EmotionMap(desk, self.emotion_section.body)
        self.feelings = Feelings(desk, self.emotion_section.body)
        self.moving_section = Section(theme, self.tr("What moves it"), inside)
        self.moving = _Moving(desk, self.moving_section.body)
        self.style_section = Section(theme, self.tr("Style"), inside)
        self.style = ValueForm(theme, "style", self.style_section.body)
        self.plain = IconButton(
            theme, "again", self.tr("Back to the plain style"), self.style_section
        )
        self.style_section.add_button(self.plain)
        for section, widgets in (
            (self.emotion_section, (self.map, self.feelings)), (self.rig_section, (self.rig,)),
            (self.moving_section, (self.moving,)), (self.style_section, (self.style,)),
        ):  # fmt: skip
            section.content.setSpacing(Metrics.space[1])
            for widget in widgets:
                section.content.addWidget(widget)
        column = column_of(inside)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, Metrics.space[0], gap, gap)
        for section in (
            self.rig_section, self.emotion_section, self.moving_section, self.style_section,
        ):  # fmt: skip
            column.addWidget(section)
        column.addStretch(1)
        column_of(self).addWidget(scrolled(inside, self))
        self.rig.open_asked.connect(self.open_asked)
        self.feelings.open_asked.connect(self.swap_asked)
        self.style.begun.connect(self._on_begun)
        self.style.put.connect(self._on_style)
        self.style.ended.connect(self._on_style_ended)
        self.style.cancelled.connect(desk.cancel)
        self.plain.clicked.connect(self.set_plain)
        desk.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def _on_begun(self) -> None:
        self._desk.begin(self.tr("Change the style"))

    @Slot(object)
    def _on_style(self, style: FaceStyle) -> None:
        self._desk.put(replace(self._desk.script, style=style))

    @Slot(str)
    def _on_style_ended(self, python: str) -> None:
        self._desk.end()

    @Slot()
    def set_plain(self) -> None:
        """Take all changes of the style back."""
        self._desk.change(self.tr("Plain style"), style=FaceStyle())

    @Slot()
    def refresh(self) -> None:
        """Show the script's style."""
        style = self._desk.script.style
        self.style.show_value(style)
        self.plain.setVisible(style != FaceStyle())
