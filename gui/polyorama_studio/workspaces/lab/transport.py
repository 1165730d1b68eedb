"""Below the stage: play and steps, the line of what was recorded, speed, seed and rivals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from polyorama.core.params import Parameter
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.bands import SEEDS
from polyorama_studio.workspaces.lab.rivals import RivalRow
from polyorama_studio.workspaces.lab.run import SPEEDS, Run
from polyorama_studio.workspaces.lab.scrub import Scrub

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.bands import Bands
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["LabTransport"]

_SEED = Parameter("seed", "whole", 0, 0, 2**31 - 1, help="Of all luck in the run")


class LabTransport(QFrame):
    """Two rows: time above, luck and methods below."""

    def __init__(
        self, session: Session, run: Run, bands: Bands, theme: LabTheme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("labTransport")
        self._bands = bands
        self._session = session
        self._run = run
        self._theme = theme
        self._icons: list[tuple[QToolButton, str]] = []
        self.to_start = self._button("to-start", self.tr("To the start"), "Home", self._to_start)
        self.back = self._button(
            "frame-back", self.tr("Step back"), "\N{LEFTWARDS ARROW}", self._step_back
        )
        self.play = self._button("play", self.tr("Play or pause"), self.tr("Space"), run.toggle)
        self.on = self._button(
            "frame-on", self.tr("Step on"), "\N{RIGHTWARDS ARROW}", self._step_on
        )
        self.to_end = self._button("to-end", self.tr("To the live end"), "End", self._to_end)
        self.again = self._button(
            "again", self.tr("Start again on the same seed"), "R", run.restart
        )
        self.scrub = Scrub(run, theme, self)
        self.step = QLabel(self)
        self.step.setFont(font(Metrics.title, tabular=True))
        self.step.setFixedWidth(Metrics.lab_number)
        self.step.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.speed = ChoiceField(
            [(repr(s), _speed_title(s)) for s in SPEEDS], self.tr("Speed"), self
        )
        self.speed.setFixedWidth(Metrics.lab_number)
        self.speed.setToolTip(tip(self.tr("How fast it plays  ([ and ])")))
        self.seed = NumberField(_SEED, session.theme, self, label=self.tr("Seed"))
        self.seed.setFixedWidth(Metrics.lab_number)
        self.seed.setAccessibleName(self.tr("Seed"))
        self.seed.setToolTip(tip(self.tr("The seed of all luck; another one starts the run anew")))
        self.dice = self._button("dice", self.tr("Another seed"), "N", run.new_seed)
        self.bands_button = QPushButton(self.tr("Bands"), self)
        self.bands_button.setProperty("tight", "true")
        self.bands_button.setToolTip(
            tip(self.tr("Run many seeds beside this and show their mean and the band round it"))
        )
        self.bands_button.setCheckable(True)
        self.bands_button.clicked.connect(bands.toggle)
        self.export = QPushButton(self.tr("Export..."), self)
        self.export.setProperty("tight", "true")
        self.export.setToolTip(tip(self.tr("Figures, films, tables and a script of this run")))
        self.rivals = RivalRow(run, theme, self)
        self._lay_out()
        self.scrub.sought.connect(run.seek_step)
        self.speed.chosen.connect(self._on_speed)
        self.seed.ended.connect(self._on_seed)
        run.updated.connect(self._on_update)
        run.changed.connect(self.refresh)
        run.loading_changed.connect(self.refresh)
        bands.changed.connect(self._on_bands)
        session.theme.changed.connect(self._tint)
        self._tint()
        self.refresh()

    def _button(self, name: str, title: str, key: str, slot) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setFixedSize(Metrics.control, Metrics.control)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(title)
        button.setToolTip(tip(f"{title}  ({key})"))
        button.clicked.connect(slot)
        self._icons.append((button, name))
        return button

    def _lay_out(self) -> None:
        gap = Metrics.space[1]
        time = QHBoxLayout()
        time.setSpacing(Metrics.hair)
        for button in (self.to_start, self.back, self.play, self.on, self.to_end):
            time.addWidget(button)
        time.addSpacing(gap)
        time.addWidget(self.scrub, 1)
        time.addSpacing(gap)
        time.addWidget(self.step)
        time.addSpacing(gap)
        time.addWidget(self.speed)
        luck = QHBoxLayout()
        luck.setSpacing(Metrics.hair)
        luck.addWidget(self.again)
        luck.addWidget(self.seed)
        luck.addWidget(self.dice)
        luck.addSpacing(gap)
        luck.addWidget(self.rivals, 1)
        luck.addSpacing(gap)
        luck.addWidget(self.bands_button)
        luck.addSpacing(Metrics.space[0])
        luck.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(gap, Metrics.space[0], gap, Metrics.space[0] + Metrics.hair)
        column.setSpacing(Metrics.space[0])
        column.addLayout(time)
        column.addLayout(luck)
        self.setFixedHeight(Metrics.lab_foot)

    # Showing

    @Slot()
    @Slot(bool)
    def refresh(self, value: object = None) -> None:
        """Show how things stand."""
        run = self._run
        loaded = run.loaded
        for widget in (
            self.to_start, self.back, self.play, self.on, self.to_end, self.again, self.seed,
            self.dice, self.speed, self.bands_button, self.export,
        ):  # fmt: skip
            widget.setEnabled(loaded is not None)
        self.speed.set_value(repr(run.speed))
        if run.setup is not None:
            self.seed.set_value(float(run.setup.seed))
        self._draw(self.play, "pause" if run.playing else "play")

    @Slot(object)
    def _on_update(self, update: Update) -> None:
        self.step.setText(self.tr("step {0}").format(f"{update.snapshot.step:,}"))

    @Slot()
    def _on_bands(self) -> None:
        bands = self._bands
        words = self.tr("Bands")
        if bands.running:
            words = self.tr("{0} of {1} seeds").format(bands.done, SEEDS)
        elif bands.sweep is not None:
            words = self.tr("Bands of {0} seeds").format(bands.sweep.seeds)
        self.bands_button.setText(words)
        self.bands_button.setChecked(bands.running or bands.sweep is not None)

    def _draw(self, button: QToolButton, name: str) -> None:
        tokens = self._session.theme.tokens
        faint = tokens.color("quiet")
        faint.setAlphaF(0.45)
        button.setIcon(icon(name, tokens.color("text"), faint))

    @Slot()
    def _tint(self) -> None:
        for button, name in self._icons:
            self._draw(button, name)
        self.refresh()

    # What a person does

    @Slot()
    def _to_start(self) -> None:
        self._run.set_playing(False)
        self._run.seek(0)

    @Slot()
    def _to_end(self) -> None:
        self._run.seek(self._run.history.length)

    @Slot()
    def _step_on(self) -> None:
        self._run.step_on()

    @Slot()
    def _step_back(self) -> None:
        self._run.step_back()

    @Slot(str)
    def _on_speed(self, value: str) -> None:
        self._run.set_speed(float(value))

    @Slot()
    def _on_seed(self) -> None:
        self._run.set_seed(round(self.seed.value))


def _speed_title(speed: float) -> str:
    return "As fast as it can" if math.isinf(speed) else f"{speed:g} \N{MULTIPLICATION SIGN}"
