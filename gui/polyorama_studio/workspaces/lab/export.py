"""Writing a run: what, how large and where, with the command line that does the same."""

from __future__ import annotations

import shlex
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Slot

from polyorama.core.params import Parameter
from polyorama.errors import UnavailableError
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.dialogs.parts import CommandLine, FileLine, Rows
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.folders import show_in_folder
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from polyorama.core.jobs import Job
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run

__all__ = ["LabExportDialog", "write_run"]

_FORMATS = (
    (".png", "Picture of the views"), (".svg", "Drawing of the views"), (".mp4", "Film"),
    (".csv", "Table of all numbers"), (".parquet", "Table for pandas and polars"),
    (".py", "Python script"),
)  # fmt: skip
_SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
_PICTURES = (".png", ".svg", ".mp4")
_FPS = Parameter("fps", "number", 30.0, 1.0, 120.0, "FPS", "Snapshots a second", soft=(1.0, 60.0))
_PATIENCE_S = 5.0
_LOOK_S = 0.05


class LabExportDialog(Dialog):
    """Chooses; `write_run` does the work, as a job that outlives the dialog."""

    def __init__(self, session: Session, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run = run
        assert run.loaded is not None
        assert run.setup is not None
        self._views = run.loaded.views
        self.set_heading(self.tr("Export the run"))
        formats = [(e, f"{title}  ({e})") for e, title in _FORMATS]
        self.format = ChoiceField(formats, self.tr("Format"), self)
        views = [("", self.tr("All views")), *((view.id, view.title) for view in self._views)]
        self.view = ChoiceField(views, self.tr("Views"), self)
        sizes = [(f"{w}x{h}", f"{w} \N{MULTIPLICATION SIGN} {h} px") for w, h in _SIZES]
        self.size = ChoiceField(sizes, self.tr("Size"), self)
        themes = [("dark", self.tr("Dark")), ("light", self.tr("Light"))]
        self.look = ChoiceField(themes, self.tr("Look"), self)
        self.fps = NumberField(_FPS, session.theme, self)
        self.fps.setAccessibleName(self.tr("Frame rate"))
        self.file = FileLine(session, self)
        self.path = self.file.edit
        self.command = CommandLine(session, self)
        self._lay_out()
        self.add_button(self.tr("Cancel"), self.reject)
        self.write = self.add_button(self.tr("Export"), self._export, primary=True)
        self.format.set_value(".png")
        self.view.set_value("")
        self.size.set_value("1920x1080")
        self.look.set_value(session.theme.tokens.name)
        stem = f"{run.setup.id}-seed-{run.setup.seed}"
        self.path.setText(str(Path(session.preferences.folder) / f"{_plain(stem)}.png"))
        for signal in (self.view.chosen, self.size.chosen, self.look.chosen, self.fps.changed):
            signal.connect(self._tell)
        self.format.chosen.connect(self._on_format)
        self.path.textChanged.connect(self._on_path)
        self.file.browse.clicked.connect(self._browse)
        self._tell()

    def _lay_out(self) -> None:
        self._rows = Rows()
        self._rows.add(self.tr("Format"), self.format)
        self._rows.add(self.tr("Views"), self.view)
        self._rows.add(self.tr("Size"), self.size)
        self._rows.add(self.tr("Look"), self.look)
        self._rows.add(self.tr("Frame rate"), self.fps)
        self._rows.add(self.tr("File"), self.file)
        self.body.addLayout(self._rows)
        self.body.addWidget(self.command)
        self.setMinimumWidth(Metrics.dialog_words)

    # What is chosen

    @property
    def options(self) -> dict[str, Any]:
        """What `polyorama.lab.exporting.export` is told besides the file."""
        ending = self.format.value
        if ending not in _PICTURES:
            return {}
        wide, high = (int(side) for side in self.size.value.split("x"))
        options: dict[str, Any] = {"size": (wide, high), "theme": self.look.value}
        if self.view.value:
            options["views"] = (self.view.value,)
        if ending == ".mp4":
            options["fps"] = self.fps.value
        elif self._run.update is not None:
            options["index"] = self._run.update.index
        return options

    @property
    def command_line(self) -> str:
        """The command line that does the same; it reads the record of the run."""
        words = ["polyorama", "lab", "export", str(self._run.folder), "-o", self.path.text()]
        options = self.options
        if "views" in options:
            words += ["--views", self.view.value]
        if "size" in options:
            words += ["--size", self.size.value, "--theme", self.look.value]
        if "index" in options:
            words += ["--at", str(self._run.step_shown)]
        if "fps" in options:
            words += ["--fps", f"{self.fps.value:g}"]
        return shlex.join(words)

    @Slot()
    @Slot(str)
    @Slot(float)
    def _tell(self, value: object = None) -> None:
        ending = self.format.value
        for field in (self.view, self.size, self.look, self.fps):
            there = ending in _PICTURES and (field is not self.fps or ending == ".mp4")
            self._rows.set_shown(field, there)
        self.command.set_text(self.command_line)
        self.write.setEnabled(bool(Path(self.path.text()).name))

    @Slot(str)
    def _on_format(self, ending: str) -> None:
        self.file.end_with(ending, _FORMATS)
        self._tell()

    @Slot(str)
    def _on_path(self, text: str) -> None:
        ending = Path(text).suffix.lower()
        if ending in dict(_FORMATS) and ending != self.format.value:
            self.format.set_value(ending)
        self._tell()

    @Slot()
    def _browse(self) -> None:
        ending = self.format.value
        title = dict(_FORMATS)[ending]
        self.file.ask(self.tr("Export the run"), title, ending, self.path.text())

    @Slot()
    def _export(self) -> None:
        self.accept()
        write_run(self._session, self._run, Path(self.path.text()), self.options)


def write_run(session: Session, run: Run, path: Path, options: dict[str, Any]) -> None:
    """Write what was recorded so far on a worker thread, and say so when it is there."""
    folder, update = run.folder, run.update
    if folder is None or update is None:
        return
    run.flush()
    if path.parent.is_dir():
        session.preferences.folder = str(path.parent)
    session.log_python(f"po.open_run({str(folder)!r}).export({str(path)!r})")
    session.work_on(
        partial(_written, folder, update.length, path, options),
        partial(_on_written, session),
        session.report,
        session.tr("Exporting {0}").format(legible(path.name)),
        keep=True,
    )


def _written(folder: Path, length: int, path: Path, options: dict[str, Any]) -> Job[Path]:
    from polyorama.lab.exporting import export
    from polyorama.lab.record import Record

    # The worker writes what it holds back as soon as it has heard that it should.
    end = time.monotonic() + _PATIENCE_S
    record = Record.open(folder)
    while record.length < length:
        if time.monotonic() > end:
            raise UnavailableError(
                f"The record of the run does not come to its end ({record.length:,} of "
                f"{length:,} snapshots); pause the run and export again."
            )
        time.sleep(_LOOK_S)
        record = Record.open(folder)
    done: Path = yield from export(record, path, **options)
    return done


def _on_written(session: Session, path: Path) -> None:
    words = session.tr("Exported {0}").format(legible(path.name))
    action = partial(show_in_folder, path)
    session.tell("good", words, session.tr("Show in folder"), action)


def _plain(stem: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in stem)
