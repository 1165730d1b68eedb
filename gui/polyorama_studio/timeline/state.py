"""What the parts of the timeline share: axis, rows, chosen keys, and the drag that is going on."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from polyorama_studio.timeline import keys
from polyorama_studio.timeline.axis import TimeAxis
from polyorama_studio.timeline.rows import Row, rows_of
from polyorama_studio.timeline.snapping import snapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from polyorama.scene.document import Document
    from polyorama.scene.timeline import Timeline
    from polyorama_studio.session import Session

__all__ = ["TimelineState"]

_MOST_SHOWN_LIVE = 3000
"""With more keys in hand the sheet alone follows a drag, the picture once it is let go."""


class TimelineState(QObject):
    """The model behind the panel; `KeyEdits` changes the document.

    While something is dragged, `timeline` is what it would become, and the stage shows it; letting
    go runs the operation, as one step.
    """

    changed = Signal()
    """Tracks, cues, sounds, duration or what is chosen changed: paint again."""
    tracks_changed = Signal()
    """Other tracks are chosen for the curves."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.axis = TimeAxis(parent=self)
        self.choice: keys.Choice = {}
        self.tracks: tuple[str, ...] = ()
        """Paths of tracks whose rows are chosen."""
        self.folded: frozenset[str] = frozenset()
        self.snapping = True
        self._preview: Timeline | None = None
        self._arriving: keys.Choice | None = None
        self._ghosts: dict[str, keys.TrackArrays] = {}
        self._live = False
        self._rows: tuple[tuple[object, ...], tuple[Row, ...]] = ((), ())
        editing = session.editing
        editing.edited.connect(self._on_edited)
        editing.replaced.connect(self._on_replaced)
        self._on_replaced()

    # What there is

    @property
    def document(self) -> Document | None:
        """The document, or None."""
        return self.session.editing.document

    @property
    def timeline(self) -> Timeline | None:
        """The document's timeline, or what a drag makes of it so far."""
        if self._preview is not None:
            return self._preview
        return None if self.document is None else self.document.timeline

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the sheet, from the top."""
        document, timeline = self.document, self.timeline
        if document is None or timeline is None:
            return ()
        asked = (document.nodes, timeline.tracks, self.folded, self._ghosts)
        known, rows = self._rows
        if len(known) != len(asked) or any(a is not b for a, b in zip(asked, known, strict=True)):
            words = {
                "summary": self.tr("All keys"),
                "view": self.tr("View"),
                "document": self.tr("Scene"),
            }
            rows = rows_of(document, timeline, self.folded, words, self._times)
            self._rows = (asked, rows)
        return rows

    def arrays(self, path: str) -> keys.TrackArrays:
        """A track for painting, where a drag has brought its keys."""
        timeline = self.timeline
        assert timeline is not None
        ghost = self._ghosts.get(path)
        return keys.arrays_of(timeline.tracks[path]) if ghost is None else ghost

    def _times(self, path: str) -> np.ndarray:
        return self.arrays(path).times

    @property
    def chosen_count(self) -> int:
        """How many keys are chosen."""
        return sum(len(times) for times in self.choice.values())

    def chosen_times(self, paths: Iterable[str]) -> np.ndarray:
        """Times of chosen keys of some tracks, (n,) float64, rising."""
        choice = self.choice if self._arriving is None else self._arriving
        found = [time for path in paths for time in choice.get(path, ())]
        return np.unique(np.array(found, np.float64))

    def key_times(self, paths: Iterable[str] | None = None) -> np.ndarray:
        """Times of all keys, or of those of some tracks, (n,) float64, rising."""
        timeline = self.timeline
        if timeline is None:
            return np.empty(0)
        wanted = timeline.tracks if paths is None else [p for p in paths if p in timeline.tracks]
        found = [keys.arrays_of(timeline.tracks[path]).times for path in wanted]
        return np.unique(np.concatenate(found)) if found else np.empty(0)

    # Choosing

    def choose(self, choice: keys.Choice) -> None:
        """Choose other keys."""
        choice = {path: times for path, times in choice.items() if times}
        if choice != self.choice:
            self.choice = choice
            self.changed.emit()

    def every_key(self, paths: Iterable[str]) -> keys.Choice:
        """All keys of some tracks."""
        timeline = self.timeline
        if timeline is None:
            return {}
        there = [path for path in paths if path in timeline.tracks]
        times = {path: keys.arrays_of(timeline.tracks[path]).times for path in there}
        return {path: frozenset(found.tolist()) for path, found in times.items()}

    def choose_all(self) -> None:
        """Choose every key."""
        self.choose({} if self.timeline is None else self.every_key(self.timeline.tracks))

    def step_rows(self, step: int) -> None:
        """Choose the next row of a track, or the one before."""
        tracks = [row.id for row in self.rows if row.kind == "track"]
        if tracks:
            last = self.tracks[-1] if self.tracks else ""
            at = tracks.index(last) + step if last in tracks else 0
            self.choose_tracks((tracks[min(max(at, 0), len(tracks) - 1)],))

    def choose_tracks(self, paths: tuple[str, ...]) -> None:
        """Choose rows of tracks."""
        if paths != self.tracks:
            self.tracks = paths
            self.tracks_changed.emit()
            self.changed.emit()

    def fold(self, owner: str) -> None:
        """Hide the tracks of a node, or show them."""
        self.folded = self.folded ^ {owner}
        self.changed.emit()

    # Snapping

    def snapped(self, seconds: float, *, without: Iterable[str] = ()) -> float:
        """A time moved to what attracts it, while that is on; see `snapping.snapped`."""
        timeline = self.timeline
        if not self.snapping or timeline is None:
            return seconds
        marks = (0.0, timeline.duration, self.session.playback.time)
        return snapped(timeline, self.axis, seconds, marks, set(without))

    def frame(self, *, chosen: bool = False) -> None:
        """Show the whole timeline, or the chosen keys."""
        times = self.chosen_times(self.choice)
        if chosen and len(times):
            self.axis.show(float(times[0]), float(times[-1]))
        else:
            self.axis.fit()

    def set_snapping(self, snapping: bool) -> None:
        """Whether times snap."""
        self.snapping = snapping
        self.changed.emit()

    # Drags

    @property
    def dragging(self) -> bool:
        """Whether something is held."""
        return self._preview is not None

    def begin(self, *, live: bool = True) -> None:
        """A drag begins; `live` shows on the stage what it makes."""
        document = self.document
        if document is not None and self._preview is None:
            self._preview = document.timeline
            self._live = live and self.chosen_count <= _MOST_SHOWN_LIVE
            if self._live:
                self.session.stage.hold()

    def show(self, timeline: Timeline, choice: keys.Choice | None = None) -> None:
        """What the drag makes of the timeline so far, and where it has brought the chosen keys."""
        document = self.document
        if document is None or self._preview is None:
            return
        self._preview, self._arriving = timeline, choice
        keys.keep((*document.timeline.tracks.values(), *timeline.tracks.values()))
        if self._live:
            self.session.stage.change_document(replace(document, timeline=timeline))
        self.changed.emit()

    def show_times(
        self, moved: Callable[[np.ndarray], np.ndarray], arriving: keys.Choice, *, copy: bool
    ) -> None:  # fmt: skip
        """Where a drag would bring the chosen keys, for those of too many to make them anew.

        Parameters
        ----------
        moved
            Gives the new times of times, (n,) float64.
        arriving
            The chosen keys where they come to lie.
        copy
            Whether keys stay where they were, too.
        """
        document = self.document
        if document is None or self._preview is None:
            return
        self._arriving = arriving
        self._ghosts = {
            path: keys.moved_arrays(
                keys.arrays_of(document.timeline.tracks[path]), times, moved, copy=copy
            )
            for path, times in self.choice.items()
        }
        self.changed.emit()

    @property
    def live(self) -> bool:
        """Whether a drag is shown on the stage as it goes."""
        return self._live

    def cancel(self) -> None:
        """Give the drag up."""
        if self._preview is None:
            return
        self._end()
        document = self.document
        if document is not None and self.session.stage.document is not document:
            self.session.stage.change_document(document)
        self.changed.emit()

    def _end(self) -> None:
        self._preview = self._arriving = None
        self._ghosts = {}
        if self._live:
            self._live = False
            self.session.stage.release()

    @contextmanager
    def letting_go(self) -> Iterator[None]:
        """Run inside what a drag stands for; the drag, if one goes on, is over then."""
        held = self._preview is not None
        before = self.document
        try:
            yield
        finally:
            if held and self.document is before:
                self.cancel()
            elif held:
                self._end()
                self.changed.emit()

    # What the session says

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        document = self.document
        if document is None:
            return
        timeline = document.timeline
        keys.keep(timeline.tracks.values())
        self.axis.set_timeline(timeline.duration, timeline.fps)
        kept = {}
        for path, times in self.choice.items():
            track = timeline.tracks.get(path)
            if track is not None:
                there = times.intersection(keys.arrays_of(track).times.tolist())
                if there:
                    kept[path] = there
        self.choice = kept
        tracks = tuple(path for path in self.tracks if path in timeline.tracks)
        if tracks != self.tracks:
            self.tracks = tracks
            self.tracks_changed.emit()
        self.changed.emit()

    @Slot()
    def _on_replaced(self) -> None:
        self._preview, self._arriving, self._live, self._ghosts = None, None, False, {}
        self.choice, self.tracks, self.folded = {}, (), frozenset()
        document = self.document
        if document is not None:
            self.axis.set_timeline(document.timeline.duration, document.timeline.fps)
        keys.keep(())
        self.axis.fit()
        self.tracks_changed.emit()
        self.changed.emit()
