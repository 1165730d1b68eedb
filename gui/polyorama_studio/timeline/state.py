"""What the parts of the timeline share: axis, rows, chosen keys, and the drag that is going on."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from polyorama.errors import PolyoramaError
from polyorama.scene.timeline import Cue
from polyorama_studio.timeline import keys
from polyorama_studio.timeline.axis import TimeAxis
from polyorama_studio.timeline.rows import Row, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from polyorama.scene.document import Document
    from polyorama.scene.timeline import Timeline
    from polyorama_studio.session import Session

__all__ = ["TimelineState"]

_SNAP = 6.0
"""Pixels within which keys, cues and the playhead attract."""
_MOST_SHOWN_LIVE = 3000
"""With more keys in hand the sheet alone follows a drag, the picture once it is let go."""
_MANY = 1500
"""So many keys are edited on a worker thread."""


class TimelineState(QObject):
    """The model behind the panel; edits go through the session's operations.

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
        self._copied: keys.Copied = ()
        self._preview: Timeline | None = None
        self._arriving: keys.Choice | None = None
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
        asked = (document.nodes, timeline.tracks, self.folded)
        known, rows = self._rows
        if len(known) != 3 or any(a is not b for a, b in zip(asked, known, strict=True)):
            words = {
                "summary": self.tr("All keys"),
                "view": self.tr("View"),
                "document": self.tr("Scene"),
            }
            rows = rows_of(document, timeline, self.folded, words)
            self._rows = (asked, rows)
        return rows

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

    def nudge(self, frames: int) -> None:
        """Move the chosen keys by whole frames; without any, the playhead."""
        if self.choice and self.timeline is not None:
            self.move(frames / self.timeline.fps)
        else:
            self.session.playback.step_frames(frames)

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

    def snapped(self, seconds: float, *, without: Iterable[str] = (), keyed: bool = True) -> float:
        """A time moved to a key, a cue, the playhead or the frame that is nearest.

        Parameters
        ----------
        seconds
            s.
        without
            Tracks whose keys do not attract, because they are what is moved.
        keyed
            Whether keys attract at all.
        """
        timeline = self.timeline
        if not self.snapping or timeline is None:
            return seconds
        skipped = set(without)
        found = [cue.time for cue in timeline.cues]
        found += [0.0, timeline.duration, self.session.playback.time]
        if keyed:
            for path, track in timeline.tracks.items():
                if path not in skipped:
                    times = keys.arrays_of(track).times
                    at = np.searchsorted(times, seconds)
                    found += [float(t) for t in times[max(at - 1, 0) : at + 1]]
        nearest = min(found, key=lambda time: abs(time - seconds))
        if abs(nearest - seconds) * self.axis.scale <= _SNAP:
            return nearest
        return self.axis.frame(seconds)

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
        if self._live:
            self.session.stage.change_document(replace(document, timeline=timeline))
        self.changed.emit()

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
        if self._live:
            self._live = False
            self.session.stage.release()

    @contextmanager
    def _letting_go(self) -> Iterator[None]:
        """Ends a drag, if one goes on, after the operation that it stands for has run."""
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

    # Edits

    def run(self, name: str, **arguments: Any) -> bool:
        """Run an operation; a drag that goes on has ended with it."""
        with self._letting_go():
            return self.session.editing.run(name, **arguments)

    def move(self, seconds: float, *, copy: bool = False) -> None:
        """Move the chosen keys, or copies of them."""
        if not self.choice or seconds == 0.0:
            self.cancel()
            return
        arguments = {
            "keys": tuple((path, time) for path, times in self.choice.items() for time in times),
            "seconds": seconds,
            "copy": copy,
        }
        arrived = keys.moved_choice(self.choice, seconds)
        self._run_many("shift_keys", **arguments)
        self.choose(arrived)

    def remove(self) -> None:
        """Remove the chosen keys."""
        if self.choice:
            gone = tuple((path, time) for path, times in self.choice.items() for time in times)
            self._run_many("remove_keys", keys=gone)
            self.choose({})

    def _run_many(self, name: str, **arguments: Any) -> None:
        if len(arguments["keys"]) <= _MANY:
            self.run(name, **arguments)
            return
        self.cancel()
        self.session.editing.start(name, **arguments)

    def take(self, timeline: Timeline, title: str) -> None:
        """Set every track that differs from the document's, as one step."""
        document = self.document
        if document is None:
            return
        before = document.timeline.tracks
        paths = [p for p, track in timeline.tracks.items() if before.get(p) is not track]
        with self._letting_go(), self.session.editing.gesture(title):
            for path in paths:
                self.session.editing.run("set_track", path=path, track=timeline.tracks[path])

    def scale(self, factor: float, about: float) -> None:
        """Multiply the chosen keys' distances to a time."""
        if self.document is not None:
            self.take(
                keys.scaled(self.document.timeline, self.choice, factor, about),
                self.tr("Scale keys"),
            )
            self.choose(keys.scaled_choice(self.choice, factor, about))

    def interpolate(self, kind: str) -> None:
        """Give the chosen keys another way to the next one."""
        if self.document is not None and self.choice:
            self.take(
                keys.interpolated(self.document.timeline, self.choice, kind),
                self.tr("Change interpolation"),
            )

    def smooth(self, smoothness: float) -> None:
        """Make the chosen keys smooth."""
        if self.document is not None and self.choice:
            self.take(
                keys.smoothed(self.document.timeline, self.choice, smoothness),
                self.tr("Change smoothness"),
            )

    def set_ends(self, paths: Iterable[str], ends: str) -> None:
        """What tracks do before their first key and after their last."""
        if self.document is not None:
            timeline = self.document.timeline
            for path in paths:
                track = timeline.tracks[path]
                timeline = timeline.with_track(path, replace(track, ends=ends))
            self.take(timeline, self.tr("Change ends"))

    def copy(self) -> None:
        """Keep the chosen keys, to be pasted."""
        if self.document is not None and self.choice:
            self._copied = keys.copied(self.document.timeline, self.choice)

    @property
    def can_paste(self) -> bool:
        """Whether keys were copied."""
        return bool(self._copied)

    def paste(self) -> None:
        """Put the copied keys at the playhead; those of one track may go to another one."""
        if self.document is None or not self._copied:
            return
        held = self._copied
        sources = {path for path, _ in held}
        if len(sources) == 1 and len(self.tracks) == 1 and self.tracks[0] not in sources:
            target = self.document.timeline.tracks.get(self.tracks[0])
            if target and len(target.keys[0].value) == len(held[0][1].value):
                held = tuple((self.tracks[0], key) for _, key in held)
        try:
            at = self.session.playback.time
            timeline, choice = keys.pasted(self.document.timeline, held, at)
        except PolyoramaError as error:
            self.session.report(error)
            return
        self.take(timeline, self.tr("Paste keys"))
        self.choose(choice)

    def key(self, path: str, seconds: float) -> None:
        """Key a property at a time, at the value that it has there."""
        if self.run("key", path=path, time=seconds):
            self.choose({path: frozenset((seconds,))})

    def add_cue(self, seconds: float) -> Cue | None:
        """Add a cue with the next free name; None where nothing is open."""
        timeline = self.timeline
        if timeline is None:
            return None
        taken = {cue.name for cue in timeline.cues}
        numbers = range(1, len(taken) + 2)
        name = next(n for n in map(self.tr("Cue {0}").format, numbers) if n not in taken)
        self.run("add_cue", time=seconds, name=name)
        return Cue(seconds, name)

    # What the session says

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        document = self.document
        if document is None:
            return
        timeline = document.timeline
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
        self._preview, self._arriving, self._live = None, None, False
        self.choice, self.tracks, self.folded = {}, (), frozenset()
        document = self.document
        if document is not None:
            self.axis.set_timeline(document.timeline.duration, document.timeline.fps)
        self.axis.fit()
        self.tracks_changed.emit()
        self.changed.emit()
