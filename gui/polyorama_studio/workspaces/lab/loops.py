"""Makes the moving pictures of the gallery: a short run of each experiment, painted as it goes."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMargins, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from polyorama.lab.views import Points, Splats
from polyorama_studio.jobs import Handlers
from polyorama_studio.theme import DARK, LIGHT
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.link import Link
from polyorama_studio.workspaces.lab.previews import FRAMES, SIZE, kept_path, write_frames
from polyorama_studio.workspaces.lab.setup import Loaded, Setup, load
from polyorama_studio.workspaces.lab.views import make_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.lab.runner import Update
    from polyorama.lab.views import View
    from polyorama_studio.session import Session
    from polyorama_studio.theme import Tokens
    from polyorama_studio.workspaces.lab.link import Player
    from polyorama_studio.workspaces.lab.views import ViewWidget

    MakePlayer = Callable[[Setup, Path | None, Callable[[Update], None], Callable[[str], None]],
                          Player]  # fmt: skip

__all__ = ["LoopMaker"]

_SECONDS = 30.0
"""So long a loop's run would play at its own rate."""
_PATIENCE_S = 4.0
"""Longest wait for one picture; a slow experiment shows less of its run."""
_END = 2**31
_MARGIN = 12
"""Round a picture, px."""


class _Still(QObject):
    """A theme that stays."""

    changed = Signal()

    def __init__(self, tokens: Tokens, parent: QObject) -> None:
        super().__init__(parent)
        self.tokens = tokens


def telling_view(views: Sequence[View], *, in_space: bool) -> View | None:
    """The first picture; without `in_space` the first that needs no renderer, if there is one."""
    for view in views:
        spatial = isinstance(view, Splats) or (isinstance(view, Points) and view.z is not None)
        if in_space or not spatial:
            return view
    return None


class LoopMaker(QObject):
    """One experiment after another, in a process of its own, dark and light at once.

    Parameters
    ----------
    session
        Has the bridge and the jobs.
    make_player
        As `polyorama_studio.workspaces.lab.run.make_runner`.
    place
        Where the file of an experiment and a theme belongs.
    in_space
        Whether pictures are made that the renderer has to draw, on this thread.
    """

    made = Signal(str)
    """The loop of an experiment lies there now."""
    rested = Signal()
    """Nothing is left to do."""

    def __init__(
        self, session: Session, make_player: MakePlayer, parent: QObject,
        place: Callable[[str, str], Path] = kept_path, *, in_space: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session = session
        self._make_player = make_player
        self._place, self._in_space = place, in_space
        self._waiting: list[str] = []
        self._paused = False
        self.at_work = ""
        """Id of the experiment that is run."""
        self._link = Link(session, self)
        self._link.came.connect(self._on_came)
        self._link.failed.connect(self._on_failed)
        self._themes = [_Still(tokens, self) for tokens in (DARK, LIGHT)]
        self._widgets: list[ViewWidget] = []
        self._frames: dict[str, list[QImage]] = {}
        self._history = History()
        self._whole = self._goal = 0
        self._asked_at = 0.0
        self._due = False

    def ask(self, experiment_id: str) -> None:
        """Make the loop of an experiment, in its turn."""
        if experiment_id not in (*self._waiting, self.at_work):
            self._waiting.append(experiment_id)
            self._begin()

    def set_paused(self, paused: bool) -> None:
        """Leave the machine to what is on the stage, or go on."""
        self._paused = paused
        if not paused and self._due:
            self._due = False
            self._step()
        self._begin()

    @Slot()
    def close(self) -> None:
        """Stop."""
        self._waiting.clear()
        self._end_run()
        self._link.close()

    def _begin(self) -> None:
        if self.at_work or self._paused:
            return
        if not self._waiting:
            self.rested.emit()
            return
        self.at_work = self._waiting.pop(0)
        done = Handlers(self._on_loaded, self._on_not_loaded, _nothing)
        self._session.start_job(partial(load, Setup(self.at_work)), done, "load for a preview")

    def _on_not_loaded(self, error: BaseException) -> None:
        """It says why when it is chosen; a card without a picture says enough here."""
        self._leave()

    def _on_loaded(self, loaded: Loaded) -> None:
        view = telling_view(loaded.views, in_space=self._in_space)
        if view is None:
            self._leave()
            return
        rivals = [rival.id for rival in loaded.kind.rivals]
        for theme in self._themes:
            widget = make_view(view, theme, rivals)  # type: ignore[arg-type]
            widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
            self._widgets.append(widget)
        self._frames = {theme.tokens.name: [] for theme in self._themes}
        self._history.clear()
        self._goal, self._asked_at = 0, time.monotonic()
        self._whole = max(FRAMES, round(loaded.kind.rate * _SECONDS))
        self._link.announce()
        self._link.connect_to(partial(self._make_player, Setup(self.at_work), None))

    @Slot(object)
    def _on_came(self, updates: Sequence[Update]) -> None:
        for update in updates:
            self._history.append(update.first, update.scalars)
        update = updates[-1]
        self._history.show(update.index)
        ended = update.done or bool(update.error)
        late = time.monotonic() - self._asked_at > _PATIENCE_S
        if update.snapshot.step < self._goal and not ended and not late:
            return  # on its way
        if update.snapshot.step > 0:  # at its start there is nothing to see yet
            for theme, widget in zip(self._themes, self._widgets, strict=True):
                self._frames[theme.tokens.name].append(painted(widget, update, self._history))
        if ended or len(self._frames[DARK.name]) >= FRAMES:
            self._finish()
        elif self._paused:
            self._due = True
        else:
            self._step()

    def _step(self) -> None:
        """On to the next picture; most happens early, so the strides grow."""
        here, number = int(self._history.whole("step")[-1]), len(self._frames[DARK.name]) + 1
        self._goal = max(here + 1, round(self._whole * (number / FRAMES) ** 2))
        self._asked_at = time.monotonic()
        if self._link.player is not None:
            # To its end, wherever that is by now: what was asked for before is dropped.
            self._link.player.seek(_END)
            self._link.player.step(self._goal - here)

    def _finish(self) -> None:
        frames = self._frames
        paths = {theme: self._place(self.at_work, theme) for theme in frames}
        self._end_run()
        done = Handlers(self._on_written, self._on_not_written, _nothing)
        self._session.start_job(partial(_written, frames, paths), done, "keep a preview")

    def _on_written(self, written: bool) -> None:
        if written:
            self.made.emit(self.at_work)
        self._leave()

    def _on_not_written(self, error: BaseException) -> None:
        self._session.report(error)
        self._leave()

    @Slot(str)
    def _on_failed(self, error: str) -> None:
        self._leave()

    def _leave(self) -> None:
        self._end_run()
        self.at_work = ""
        self._begin()

    def _end_run(self) -> None:
        self._link.announce()
        self._link.let_go()
        for widget in self._widgets:
            widget.deleteLater()
        self._widgets, self._frames = [], {}


def painted(widget: ViewWidget, update: Update, history: History) -> QImage:
    """What a view shows without its head, in the size of a loop."""
    body = widget.body
    inner = QSize(*SIZE).shrunkBy(QMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN))
    widget.snapshot, widget.history = update.snapshot, history
    if body.size() != inner:
        widget.resize(*SIZE)
        widget.grab()  # which lays it out, though it is not shown
    widget.take(update.snapshot, history)
    if body.size() != inner:  # another legend gave it another size
        body.resize(inner)
        body.grab()
        widget.take(update.snapshot, history)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(widget.look.ground)
    painter = QPainter(image)
    # A graphics view has a method of that name which does something else.
    QWidget.render(body, painter, QPoint(_MARGIN, _MARGIN))
    painter.end()
    return image


def _written(frames: dict[str, list[QImage]], paths: dict[str, Path]) -> bool:
    written = [write_frames(frames[theme], path) for theme, path in paths.items()]
    return all(written)


def _nothing(progress: object) -> None:
    """It takes no steps."""
