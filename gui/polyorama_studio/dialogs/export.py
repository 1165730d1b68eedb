"""The export dialog: what is written, where and how, and what each way costs and keeps."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama.core.params import Parameter
from polyorama.verbs.export import Level
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.dialogs.parts import CommandLine, FileLine, Rows
from polyorama_studio.dialogs.quality import QualityView
from polyorama_studio.dialogs.quality_plot import likeness_text
from polyorama_studio.exporting import ENDINGS, ExportSettings, files_of_now
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.folders import show_in_folder
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible, memory_text

if TYPE_CHECKING:
    from polyorama.scene.document import Document
    from polyorama.verbs.export import Exported
    from polyorama_studio.session import Session

__all__ = ["ExportDialog"]

_AT_ONCE = 400_000
"""Splats up to which everything is measured without being asked for."""
_SHARE = Parameter("share", "number", 100.0, 0.1, 100.0, "%", "Splats that stay", soft=(1.0, 100.0))


class ExportDialog(Dialog):
    """Chooses; `exported` does the work, as a job that outlives the dialog."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        document = session.editing.document
        assert document is not None
        self._document: Document = document
        self._filling = False
        self.set_heading(self.tr("Export"))
        self.what = ChoiceField(self._choices(), self.tr("What is exported"), self)
        self.format = ChoiceField(
            [(e, f"{title}  ({e})") for e, title in ENDINGS], self.tr("Format"), self
        )
        self.degree = ChoiceField(self._degrees(), self.tr("Harmonics"), self)
        self.share = NumberField(_SHARE, session.theme, self)
        self.file = FileLine(session, self)
        self.path = self.file.edit
        self.expected = QLabel(self)
        self.expected.setWordWrap(True)
        self.expected.setProperty("quiet", True)
        self._note = QLabel(self)
        self._note.setProperty("quiet", True)
        self._note.setWordWrap(True)
        self.measure = QPushButton(self.tr("Measure"), self)
        self.quality = QualityView(session, self)
        self.command = CommandLine(session, self)
        self._lay_out()
        self.add_button(self.tr("Cancel"), self.reject)
        self.write = self.add_button(self.tr("Export"), self._export, primary=True)
        self._connect()
        self._start_values()
        if session.stage.splat_count <= _AT_ONCE:
            self._measure()
        else:
            self.quality.say(self.tr("Measuring takes a while with this many splats"))

    # Parts

    def _choices(self) -> list[tuple[str, str]]:
        found = [("visible", self.tr("All that is visible"))]
        if self._document.selection:
            count = sum(map(len, self._document.selection.values()))
            found.append(("selection", self.tr("The selection, {0:,} splats").format(count)))
        if self._document.chosen:
            node = self._document.node(self._document.chosen[-1])
            found.append((node.id, self.tr("Only {0}").format(legible(node.name))))
        return found

    def _degrees(self) -> list[tuple[str, str]]:
        clouds = [n.splats for n, _ in self._document.drawn() if n.splats is not None]
        self._most = max((cloud.sh_degree for cloud in clouds), default=0)
        found = [("", self.tr("As they are (degree {0})").format(self._most))]
        names = (self.tr("none"), "1", "2")
        return found + [(str(d), self.tr("Degree {0}").format(names[d])) for d in range(self._most)]

    def _lay_out(self) -> None:
        rows = Rows()
        rows.add(self.tr("What"), self.what)
        rows.add(self.tr("Format"), self.format)
        rows.add(self.tr("Harmonics"), self.degree)
        rows.add(self.tr("Splats kept"), self.share)
        rows.add(self.tr("File"), self.file)
        left = QVBoxLayout()
        left.setSpacing(Metrics.space[2])
        left.addLayout(rows)
        left.addWidget(self.expected)
        left.addStretch(1)
        left.addWidget(self._note)
        left.addWidget(self.measure)
        columns = QHBoxLayout()
        columns.setSpacing(Metrics.space[4])
        columns.addLayout(left, 2)
        columns.addWidget(self.quality, 3)
        self.body.addLayout(columns, 1)
        self.body.addWidget(self.command)
        self.fill()
        self.setMinimumWidth(Metrics.export_width)

    def _connect(self) -> None:
        self.what.chosen.connect(self._on_what)
        self.format.chosen.connect(self._on_format)
        self.degree.chosen.connect(self._tell)
        self.share.changed.connect(self._tell)
        self.path.textChanged.connect(self._on_path)
        self.file.browse.clicked.connect(self._browse)
        self.measure.clicked.connect(self._on_measure)
        self.quality.changed.connect(self._on_measured)
        self.quality.chosen.connect(self._take)
        self.finished.connect(self._on_finished)

    def _start_values(self) -> None:
        session = self._session
        stem = session.files[0].stem if session.files else self.tr("scene")
        self.what.set_value("visible")
        self.degree.set_value("")
        self.format.set_value(".sog")
        self.path.setText(str(Path(session.preferences.folder) / f"{stem}.sog"))
        self._tell()

    # What is chosen

    @property
    def settings(self) -> ExportSettings:
        """What would be written."""
        what = self.what.value
        if what not in ("visible", "selection"):
            name = self._document.node(what).name
            what = name if self._document.node(name).id == what else what
        return ExportSettings(
            Path(self.path.text()), what, int(self.degree.value) if self.degree.value else None,
            round(self.share.value, 3), self._session.playback.time,
        )  # fmt: skip

    @Slot(str)
    def _on_what(self, what: str) -> None:
        self.quality.forget()
        if self._session.stage.splat_count <= _AT_ONCE:
            self._measure()
        self._tell()

    @Slot(str)
    def _on_format(self, ending: str) -> None:
        self.file.end_with(ending, ENDINGS)
        self._tell()

    @Slot(str)
    def _on_path(self, text: str) -> None:
        ending = next((e for e, _ in ENDINGS if text.lower().endswith(e)), "")
        if ending and ending != self.format.value:
            self.format.set_value(ending)
        self._tell()

    @Slot()
    def _browse(self) -> None:
        ending = self.format.value
        self.file.ask(self.tr("Export"), dict(ENDINGS)[ending], ending, self.path.text())

    @property
    def level(self) -> Level:
        """How it would be written."""
        degree = int(self.degree.value) if self.degree.value else self._most
        ending = self.format.value
        return Level(ending, 0 if ending == ".splat" else degree, self.share.value)

    @Slot()
    @Slot(str)
    @Slot(float)
    def _tell(self, value: object = None) -> None:
        """Bring command line, expectation and marks up to date."""
        if self._filling:
            return
        files, saved = files_of_now(self._session), self._session.saving.path
        told = self.tr("The line takes the project as it is saved.")
        self.command.setToolTip("" if files else told)
        if not files and saved is not None:
            files = (saved,)
        self.command.set_text(self.settings.command(files))
        measured = self.quality.matching(self.level)
        if measured is None:
            self.expected.setText(self.tr("Hidden and deleted splats stay behind."))
        else:
            words = self.tr("About {0}; {1} against the original on this view")
            self.expected.setText(
                words.format(memory_text(measured.nbytes), likeness_text(measured))
            )
        has_degrees = self.format.value not in (".splat",) and self._most > 0
        self.degree.setEnabled(has_degrees)
        self.write.setEnabled(bool(Path(self.path.text()).name))
        self._note.setText(self.quality.note)
        self.quality.mark(measured)

    # Measuring

    @Slot()
    def _on_measure(self) -> None:
        if self.quality.running:
            self.quality.stop()
        else:
            self._measure()

    def _measure(self) -> None:
        settings = self.settings
        self.quality.measure(self._document, settings.what, settings.time)

    @Slot()
    def _on_measured(self) -> None:
        running = self.quality.running
        self.measure.setText(self.tr("Stop measuring") if running else self.tr("Measure"))
        self._tell()

    @Slot(object)
    def _take(self, level: Level) -> None:
        """Choose the format, harmonics and share of a measurement."""
        self._filling = True
        self.format.set_value(level.ending)
        self.file.end_with(level.ending, ENDINGS)
        lower = level.degree is not None and level.degree < self._most
        self.degree.set_value(str(level.degree) if lower and level.ending != ".splat" else "")
        self.share.set_value(level.share)
        self._filling = False
        self._tell()

    # What is done

    @Slot(int)
    def _on_finished(self, result: int) -> None:
        self.quality.stop()

    @Slot()
    def _export(self) -> None:
        self.accept()
        export(self._session, self._document, self.settings)


def export(session: Session, document: Document, settings: ExportSettings) -> None:
    """Write a file on a worker thread, and say so when it is there."""
    from polyorama.verbs.export import provenance

    editor = session.editing.editor
    done = [] if editor is None else [call for step in editor.done for call in step]
    comments = provenance(done, [path.name for path in session.files])
    session.preferences.folder = str(settings.path.parent)
    session.work_on(
        partial(settings.job, document, comments),
        partial(_on_exported, session, settings),
        session.report,
        session.tr("Exporting {0}").format(legible(settings.path.name)),
        keep=True,
    )


def _on_exported(session: Session, settings: ExportSettings, done: Exported) -> None:
    session.log_python(settings.python())
    words = session.tr("Exported {0}, {1:,} splats, {2}")
    session.tell(
        "good",
        words.format(legible(done.path.name), done.splats, memory_text(done.nbytes)),
        session.tr("Show in folder"),
        partial(show_in_folder, done.path),
    )
