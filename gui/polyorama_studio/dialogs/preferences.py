"""What a person may set: look, memory, safety, mouse, units, what draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListView,
    QSlider,
    QSpinBox,
    QWidget,
)

from polyorama_studio import calls
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.jobs import Handlers
from polyorama_studio.preferences import NAVIGATIONS, SCALES, UNITS
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.render.rasterizers import Availability
    from polyorama_studio.session import Session

__all__ = ["PreferencesDialog"]

_SCALE_STEP = 25
_LEAST_MIB = 64
_MOST_MIB = 8192


class PreferencesDialog(Dialog):
    """Everything takes effect at once, or says that it needs another start."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        preferences = session.preferences
        self.set_heading(self.tr("Preferences"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(Metrics.space[4])
        self._grid.setVerticalSpacing(Metrics.space[1])
        self._grid.setColumnStretch(1, 1)
        self._row = 0
        self._add_look()
        self._add_work()
        self._section(self.tr("Viewport"))
        self.navigation = self._combo(
            NAVIGATIONS,
            (
                self.tr("Left button orbits, middle pans"),
                self.tr("Middle button orbits, Shift pans, Ctrl zooms"),
            ),
            preferences.navigation,
        )
        self.navigation.currentIndexChanged.connect(self._set_navigation)
        self._line(self.tr("Mouse"), self.navigation)
        self.unit = self._combo(
            UNITS,
            (
                self.tr("Units"), self.tr("Metres (m)"), self.tr("Centimetres (cm)"),
                self.tr("Millimetres (mm)"), self.tr("Feet (ft)"), self.tr("Inches (in)"),
            ),
            preferences.unit,
        )  # fmt: skip
        self.unit.currentIndexChanged.connect(self._set_unit)
        self._line(self.tr("One unit of a scene is"), self.unit)
        self.backend = self._combo(("auto",), (self.tr("The best one here"),), "auto")
        self._line(self.tr("Drawn by"), self.backend)
        self._reasons = QLabel(self.tr("Looking at what can draw here"), self)
        self._reasons.setProperty("quiet", True)
        self._reasons.setWordWrap(True)
        self._grid.addWidget(self._reasons, self._row, 1)
        self._restart = QLabel(" ", self)
        self._restart.setProperty("quiet", True)
        self.body.addLayout(self._grid)
        self.body.addWidget(self._restart)
        self.add_button(self.tr("Close"), self.accept, primary=True)
        self.setMinimumWidth(Metrics.preferences)
        self._alive = True
        self.finished.connect(self._on_finished)
        session.start_job(
            calls.backends,
            Handlers(self._on_backends, self._on_no_backends, session.on_progress),
            "backends",
        )

    def _add_look(self) -> None:
        preferences = self._session.preferences
        self._section(self.tr("Look"))
        self.theme = self._combo(
            ("dark", "light"), (self.tr("Dark"), self.tr("Light")), self._session.theme.tokens.name
        )
        self.theme.currentIndexChanged.connect(self._set_theme)
        self._line(self.tr("Theme"), self.theme)
        self.scale = QSlider(Qt.Orientation.Horizontal, self)
        low, high = SCALES
        self.scale.setRange(low // _SCALE_STEP, high // _SCALE_STEP)
        self.scale.setValue(round(preferences.scale_percent / _SCALE_STEP))
        self.scale.setPageStep(1)
        self.scale.setAccessibleName(self.tr("Size of the interface"))
        self._percent = QLabel(self)
        widest = self._percent.fontMetrics().horizontalAdvance(f"{high} %")
        self._percent.setMinimumWidth(widest)
        self._percent.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._percent.setText(f"{self.scale.value() * _SCALE_STEP} %")
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.scale, 1)
        row.addWidget(self._percent)
        self.scale.valueChanged.connect(self._set_scale)
        self._line(self.tr("Size of the interface"), holder)

    def _add_work(self) -> None:
        preferences = self._session.preferences
        self._section(self.tr("Work"))
        self.autosave = QCheckBox(self.tr("Keep a journal, so that a crash loses nothing"), self)
        self.autosave.setChecked(preferences.autosave)
        self.autosave.toggled.connect(self._set_autosave)
        self._line(self.tr("Autosave"), self.autosave)
        self.history = QSpinBox(self)
        self.history.setRange(_LEAST_MIB, _MOST_MIB)
        self.history.setSingleStep(64)
        self.history.lineEdit().setTextMargins(Metrics.space[0], 0, 0, 0)
        self.history.setSuffix(self.tr(" MiB"))
        self.history.setValue(preferences.history_mib)
        self.history.setAccessibleName(self.tr("Memory of the history"))
        self.history.valueChanged.connect(self._set_history)
        self._line(self.tr("Memory of the history"), self.history)

    # Rows

    def _section(self, title: str) -> None:
        label = QLabel(title, self)
        label.setProperty("heading", True)
        if self._row:
            self._grid.setRowMinimumHeight(self._row, Metrics.space[1])
            self._row += 1
        self._grid.addWidget(label, self._row, 0, 1, 2)
        self._row += 1

    def _line(self, title: str, widget: QWidget) -> None:
        label = QLabel(title, self)
        label.setProperty("quiet", True)
        label.setBuddy(widget)
        self._grid.addWidget(label, self._row, 0)
        self._grid.addWidget(widget, self._row, 1)
        self._row += 1

    def _combo(self, values: Sequence[str], words: Sequence[str], present: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setView(QListView(combo))  # only a view of our own obeys the style sheet
        for value, word in zip(values, words, strict=True):
            combo.addItem(word, value)
        combo.setCurrentIndex(max(0, combo.findData(present)))
        return combo

    # What is set

    @Slot(int)
    def _set_theme(self, index: int) -> None:
        self._session.set_theme(self.theme.itemData(index))

    @Slot(int)
    def _set_scale(self, value: int) -> None:
        self._session.preferences.scale_percent = value * _SCALE_STEP
        self._percent.setText(f"{value * _SCALE_STEP} %")
        self._restart.setText(self.tr("The size changes with the next start"))

    @Slot(bool)
    def _set_autosave(self, on: bool) -> None:
        self._session.preferences.autosave = on

    @Slot(int)
    def _set_history(self, value: int) -> None:
        self._session.preferences.history_mib = value

    @Slot(int)
    def _set_navigation(self, index: int) -> None:
        self._session.preferences.navigation = self.navigation.itemData(index)

    @Slot(int)
    def _set_unit(self, index: int) -> None:
        self._session.preferences.unit = self.unit.itemData(index)

    @Slot(int)
    def _set_backend(self, index: int) -> None:
        self._session.preferences.backend = self.backend.itemData(index)
        self._restart.setText(self.tr("What draws changes with the next start"))

    # What can draw here

    @Slot()
    def _on_finished(self) -> None:
        self._alive = False

    def _on_backends(self, states: dict[str, Availability]) -> None:
        if not self._alive:
            return
        reasons = []
        for name, state in states.items():
            self.backend.addItem(_NAMES.get(name, name), name)
            if state.ok:
                continue
            item = self.backend.model().item(self.backend.count() - 1)  # type: ignore[attr-defined]
            item.setEnabled(False)
            reasons.append(f"{_NAMES.get(name, name)} cannot draw here. {state}")
        present = self.backend.findData(self._session.preferences.backend)
        self.backend.setCurrentIndex(max(0, present))
        self.backend.currentIndexChanged.connect(self._set_backend)
        self._reasons.setText("\n".join(reasons))
        self._reasons.setVisible(bool(reasons))
        self.adjustSize()

    def _on_no_backends(self, error: BaseException) -> None:
        if self._alive:
            self._session.report(error)


_NAMES = {"cuda": "CUDA", "gl": "OpenGL", "cpu": "Processor"}
