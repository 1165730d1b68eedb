"""The histogram: how splats are spread over any number, or over two; dragging on it selects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLabel,
    QListView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from polyorama.scene.histogram import Histogram
from polyorama_studio.fields.rule import RuleField
from polyorama_studio.guard import guards
from polyorama_studio.jobs import explain
from polyorama_studio.newest import Newest
from polyorama_studio.panels.histogram_plot import HistogramPlot
from polyorama_studio.panels.parts import IconButton
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QShowEvent

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document
    from polyorama.scene.histogram import Scatter
    from polyorama.verbs.histograms import Measure
    from polyorama_studio.session import Session

__all__ = ["HistogramPanel"]

_PAUSE_MS = 140
"""After so long without an edit, splats are counted anew."""
_TRIM = 0.002
_NONE = "none"


@dataclass(frozen=True, slots=True)
class _Question:
    """What to count."""

    document: Document
    across: str
    up: str
    camera: Camera | None
    nodes: tuple[str, ...] | None
    log: tuple[bool, bool]
    trim: float


def _answer(question: _Question) -> tuple[_Question, Histogram | Scatter]:
    """Count; on a worker thread."""
    from polyorama.verbs.histograms import histogram, scatter

    q = question
    if q.up:
        both = scatter(
            q.document, q.across, q.up, camera=q.camera, nodes=q.nodes, log=q.log, trim=q.trim
        )
        return q, both
    return q, histogram(
        q.document, q.across, camera=q.camera, nodes=q.nodes, log=q.log[0], trim=q.trim
    )


def _tally(
    counted: Histogram | Scatter, band: tuple[float, float, float, float] | None
) -> tuple[int, int, int]:
    """Splats that are counted, inside a band (of all where there is none), and off the axes."""
    size = len(counted.counts)
    x0, x1, y0, y1 = (round(share * size) for share in band or (0.0, 1.0, 0.0, 1.0))
    if isinstance(counted, Histogram):
        inside = counted.counts[x0:x1].sum()
        return counted.total, int(inside), counted.below + counted.above
    return int(counted.counts.sum()), int(counted.counts[y0:y1, x0:x1].sum()), 0


class _MeasureBox(QComboBox):
    """A number to count by: chosen from a list, searched by any part of its name, or typed."""

    def __init__(self, name: str, parent: QWidget, none: str = "") -> None:
        super().__init__(parent)
        self._none = none
        self.setView(QListView(self))
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(1)
        self.setFixedHeight(Metrics.control)
        self.lineEdit().setPlaceholderText(none or name)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setPopup(QListView(self))
        self.setCompleter(completer)

    def offer(self, measures: list[Measure]) -> None:
        """Offer these."""
        texts = [measure.text for measure in measures]
        if self._none:
            texts.insert(0, self._none)
        if texts == [self.itemText(k) for k in range(self.count())]:
            return
        present = self.currentText()
        self.blockSignals(True)
        self.clear()
        if self._none:
            self.addItem(self._none)
        for measure in measures:
            self.addItem(measure.text)
            self.setItemData(
                self.count() - 1, f"{measure.text}: {measure.help}", Qt.ItemDataRole.ToolTipRole
            )
        self.setCurrentText(present)
        self.blockSignals(False)

    @property
    def text(self) -> str:
        """What is chosen, "" for nothing."""
        text = self.currentText().strip()
        return "" if text == self._none else text

    def choose(self, text: str) -> None:
        """Choose something without telling anybody."""
        self.blockSignals(True)
        self.setCurrentText(text or self._none)
        self.blockSignals(False)


@guards
class HistogramPanel(QWidget):
    """Chooses what is counted, shows it, and selects what is dragged over."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._newest = Newest(session, "histogram", self, pause=_PAUSE_MS)
        self._counted: _Question | None = None
        self._stale = True
        self.measure = _MeasureBox(self.tr("Number"), self)
        self.against = _MeasureBox(self.tr("Against"), self, self.tr("Counts"))
        self.plot = HistogramPlot(session.theme, self)
        self.log_across = self._switch(
            "log",
            self.tr("Log"),
            self.tr("Values by their logarithm, without those from 0 down"),
        )
        self.log_up = self._switch(
            "log", self.tr("Log counts"), self.tr("Heights by the logarithm of counts")
        )
        self.tails = self._switch(
            "tails", self.tr("Far values"), self.tr("Show the few values far from all others, too")
        )
        self.chosen_only = self._switch(
            "chosen", self.tr("Chosen"), self.tr("Count the nodes that are chosen, and no others")
        )
        self.counts = QLabel(self)
        self.counts.setProperty("quiet", True)
        self.counts.setWordWrap(True)
        self.rule = RuleField(session, self.tr("The range as a rule"), None, self)
        self.query = self.rule.edit
        self.query.setPlaceholderText(self.tr("Drag over the plot, or type a rule"))
        self._asked: set[str] = set()
        """Rules that were selected by from here."""
        self._selection: object = None
        self.copy = IconButton(session.theme, "copy", self.tr("Copy the rule"), self)
        self._lay_out()
        self._connect()
        self.measure.choose("opacity")
        self.against.choose("")
        self.log_up.setChecked(True)
        self._on_options()
        self._offer()

    def _switch(self, name: str, text: str, title: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("plotSwitch")
        button.setText(text)
        button.setCheckable(True)
        button.setToolTip(tip(title))
        button.setAccessibleName(title)
        button.toggled.connect(self._on_options)
        return button

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Metrics.space[0])
        head.addWidget(self.measure, 1)
        head.addWidget(self.against, 1)
        switches = QHBoxLayout()
        switches.setSpacing(Metrics.hair)
        for button in (self.log_across, self.log_up, self.tails, self.chosen_only):
            switches.addWidget(button)
        switches.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(Metrics.space[0])
        foot.addWidget(self.rule, 1)
        foot.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        side = Metrics.space[1]
        column.setContentsMargins(side, side, side, side)
        column.setSpacing(Metrics.space[0] + Metrics.hair)
        column.addLayout(head)
        column.addLayout(switches)
        column.addWidget(self.plot, 100)
        column.addWidget(self.counts)
        column.addLayout(foot)
        column.addStretch(1)

    def _connect(self) -> None:
        session = self._session
        for box in (self.measure, self.against):
            box.activated.connect(self._on_measure)
            box.lineEdit().returnPressed.connect(self._on_measure)
        self.plot.picked.connect(self._select)
        self.plot.band_changed.connect(self._tell_band)
        self.rule.entered.connect(self._on_entered)
        self.copy.clicked.connect(self._copy)
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)
        session.stage.view_changed.connect(self._on_view)
        session.stage.time_changed.connect(self._on_time)

    # What is counted

    @Slot()
    @Slot(object)
    def _on_edited(self, command: object = None) -> None:
        self._forget_other()
        self._ask()

    def _forget_other(self) -> None:
        """Something else was selected: neither the range nor the rule is what is selected."""
        editor = self._session.editing.editor
        if editor is None or editor.document.selection == self._selection:
            return
        self._selection = editor.document.selection
        last = editor.calls[-1] if editor.calls else None
        own = last is not None and (
            last.name == "select_seen"
            or (last.name == "select" and last.arguments.get("query") in self._asked)
        )
        if not own:
            self._asked.clear()
            self.plot.set_band(None)
            self.rule.set_value("")

    @Slot()
    def _on_replaced(self) -> None:
        document = self._session.editing.document
        self._selection = None if document is None else document.selection
        self._asked.clear()
        self.plot.set_band(None)
        self.rule.set_value("")
        self._offer()
        self._ask()

    @Slot(bool)
    def _on_time(self, moving: bool) -> None:
        document = self._session.editing.document
        if document is not None and document.timeline.tracks:
            self._ask()

    @Slot()
    def _on_view(self) -> None:
        if any(text.startswith("view.") for text in (self.measure.text, self.against.text)):
            self._ask()

    @Slot()
    def _on_measure(self) -> None:
        self.plot.set_band(None)
        scatter = bool(self.against.text)
        self.log_up.setText(self.tr("Log up") if scatter else self.tr("Log counts"))
        if scatter and self.log_up.isChecked():
            self.log_up.setChecked(False)
        self._ask()

    @Slot(bool)
    def _on_options(self, checked: bool = False) -> None:
        self.plot.set_log_counts(self.log_up.isChecked() and not self.against.text)
        self._ask()

    def _offer(self) -> None:
        from polyorama.verbs.histograms import measures

        document = self._session.editing.document
        if document is not None:
            found = measures(document)
            self.measure.offer(found)
            self.against.offer(found)

    def _chosen(self, document: Document) -> tuple[str, ...]:
        """Ids of the chosen splat nodes."""
        return tuple(i for i in document.chosen if document.node(i).splats is not None)

    def _ask(self) -> None:
        document = self._session.editing.document
        if document is None:
            self._newest.forget()
            self._counted = None
            self.plot.show_counts(None, ("", ""), self.tr("Open a capture to see its histogram"))
            self._tell_counts()
            return
        chosen = self._chosen(document)
        self.chosen_only.setEnabled(bool(chosen))
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        stage = self._session.stage
        shown = stage.shown if stage.document is document else document
        size = stage.size if min(stage.size) > 0 else (1280, 720)
        question = _Question(
            shown or document, self.measure.text, self.against.text, stage.camera(*size),
            chosen if self.chosen_only.isChecked() and chosen else None,
            (self.log_across.isChecked(), self.log_up.isChecked()),
            0.0 if self.tails.isChecked() else _TRIM,
        )  # fmt: skip
        self._newest.ask(partial(_answer, question), self._on_counted, self._on_failed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The plot is about as high as it is wide, however high the dock is."""
        super().resizeEvent(event)
        self.plot.setMaximumHeight(max(Metrics.plot, event.size().width()))

    def showEvent(self, event: QShowEvent) -> None:
        """Count what was not counted while nobody looked."""
        super().showEvent(event)
        if self._stale:
            self._ask()

    def _on_counted(self, result: tuple[_Question, Histogram | Scatter]) -> None:
        question, counted = result
        before = self._counted
        self._counted = question
        moved = before is not None and (before.across, before.up, before.log) != (
            question.across, question.up, question.log,
        )  # fmt: skip
        if moved:
            self.plot.set_band(None)
        self.plot.show_counts(counted, (question.across, question.up))
        self._tell_counts()

    def _on_failed(self, error: BaseException) -> None:
        self._counted = None
        # The caret of a rule's error says nothing in a proportional font.
        self.plot.show_counts(None, ("", ""), explain(error).split("\n", 1)[0])
        self._tell_counts()

    # What is said and done

    def ranges(self) -> list[tuple[str, float, float]]:
        """The range that is marked: each number with its least and greatest value."""
        band, counted = self.plot.band, self.plot.counted
        if band is None or counted is None or self._counted is None:
            return []
        left, right, bottom, top = band
        if isinstance(counted, Histogram):
            ends = (counted.axis.value_at(left), counted.axis.value_at(right))
            return [(self._counted.across, *ends)]
        return [
            (self._counted.across, counted.across.value_at(left), counted.across.value_at(right)),
            (self._counted.up, counted.up.value_at(bottom), counted.up.value_at(top)),
        ]

    @Slot()
    def _tell_band(self) -> None:
        from polyorama.verbs.histograms import range_query

        rule = " and ".join(range_query(*part) for part in self.ranges())
        self.rule.set_value(rule)
        self._tell_counts()

    def _tell_counts(self) -> None:
        counted, band = self.plot.counted, self.plot.band
        if counted is None:
            self.counts.setText("")
            return
        total, inside, outside = _tally(counted, band)
        some = self.tr("{0:,} of {1:,} splats").format(inside, total)
        words = [self.tr("{0:,} splats").format(total) if band is None else some]
        if chosen := int(counted.selected.sum()):
            words.append(self.tr("{0:,} selected").format(chosen))
        if outside and band is None:
            words.append(self.tr("{0:,} far off").format(outside))
        self.counts.setText(", ".join(words))

    @Slot(str)
    def _select(self, mode: str) -> None:
        from polyorama.verbs.histograms import is_seen

        ranges, question = self.ranges(), self._counted
        if not ranges or question is None:
            return
        more: dict[str, Any] = {"mode": mode}
        if question.nodes is not None:
            more["nodes"] = question.nodes
        if any(is_seen(text) for text, _, _ in ranges):
            more |= {"ranges": tuple(ranges), "camera": question.camera}
            self._session.editing.start("select_seen", **more)
        else:
            self._start(self.query.text(), **more)

    def _start(self, rule: str, **more: Any) -> None:
        self._asked.add(rule)
        self._session.editing.start("select", query=rule, **more)

    @Slot(str)
    def _on_entered(self, rule: str) -> None:
        """Select by what was typed, which need be no range of the plot."""
        from polyorama.verbs.histograms import range_query

        if rule == " and ".join(range_query(*part) for part in self.ranges()):
            self._select("set")
            return
        self.plot.set_band(None)
        self.rule.set_value(rule)
        nodes = None if self._counted is None else self._counted.nodes
        self._start(rule, mode="set", **({} if nodes is None else {"nodes": nodes}))

    @Slot()
    def _copy(self) -> None:
        text = self.query.text()
        if text:
            QGuiApplication.clipboard().setText(text)
            self._session.tell("info", self.tr("Rule copied"))

    def sizeHint(self) -> QSize:
        """As wide as a dock."""
        return QSize(Metrics.toast_words, Metrics.plot + 6 * Metrics.control)
