"""The edits that the timeline's parts make, each one step of the history."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from polyorama.errors import PolyoramaError
from polyorama.scene.properties_of import from_values, parameter_at
from polyorama.scene.timeline import Cue
from polyorama_studio.timeline import keys, shaping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polyorama.scene.document import Document
    from polyorama.scene.timeline import Key, Timeline, Track
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["KeyEdits"]

_FEW = 4
"""So many keys of a track are keyed one by one."""
_MANY = 1500
"""So many keys are edited on a worker thread."""


class KeyEdits(QObject):
    """Changes the document's timeline through its operations; what is dragged ends with it.

    Parameters
    ----------
    state
        Says which keys are chosen.
    """

    def __init__(self, state: TimelineState) -> None:
        super().__init__(state)
        self.state = state
        self._session = state.session
        self._copied: keys.Copied = ()

    def run(self, name: str, /, **arguments: Any) -> bool:
        """Run an operation; a drag that goes on has ended with it."""
        with self.state.letting_go():
            return self._session.editing.run(name, **arguments)

    def move(self, seconds: float, *, copy: bool = False) -> None:
        """Move the chosen keys, or copies of them."""
        if not self.state.choice or seconds == 0.0:
            self.state.cancel()
            return
        arguments = {
            "keys": _pairs(self.state.choice),
            "seconds": seconds,
            "copy": copy,
        }
        arrived = keys.moved_choice(self.state.choice, seconds)
        self._run_many("shift_keys", **arguments)
        self.state.choose(arrived)

    def remove(self) -> None:
        """Remove the chosen keys."""
        if self.state.choice:
            self._run_many("remove_keys", keys=_pairs(self.state.choice))
            self.state.choose({})

    def _run_many(self, name: str, /, **arguments: Any) -> None:
        if len(arguments["keys"]) <= _MANY:
            self.run(name, **arguments)
            return
        self.state.cancel()
        self._session.editing.start(name, **arguments)

    def take(self, timeline: Timeline, title: str) -> None:
        """Make the document's tracks those of `timeline`, as one step.

        A few keys are keyed one by one, as a person would write it; many at once as a whole track.
        """
        document = self.state.document
        if document is None:
            return
        before = document.timeline.tracks
        run = self._session.editing.run
        with self.state.letting_go(), self._session.editing.gesture(title):
            for path, track in timeline.tracks.items():
                old = before.get(path)
                if old is track:
                    continue
                few = None if old is None else _few(old, track)
                if few is None:
                    run("set_track", path=path, track=track)
                    continue
                gone, fresh = few
                if gone:
                    run("remove_keys", keys=tuple((path, time) for time in gone))
                for key in fresh:
                    run("key", path=path, **_arguments(document, path, key))

    def scale(self, factor: float, about: float) -> None:
        """Multiply the chosen keys' distances to a time."""
        if self.state.document is not None:
            self.take(
                keys.scaled(self.state.document.timeline, self.state.choice, factor, about),
                self.tr("Scale keys"),
            )
            self.state.choose(keys.scaled_choice(self.state.choice, factor, about))

    def interpolate(self, kind: str) -> None:
        """Give the chosen keys another way to the next one."""
        if self.state.document is not None and self.state.choice:
            self.take(
                shaping.interpolated(self.state.document.timeline, self.state.choice, kind),
                self.tr("Change interpolation"),
            )

    def smooth(self, smoothness: float) -> None:
        """Make the chosen keys smooth."""
        if self.state.document is not None and self.state.choice:
            self.take(
                shaping.smoothed(self.state.document.timeline, self.state.choice, smoothness),
                self.tr("Change smoothness"),
            )

    def lay_handles(self, how: str) -> None:
        """Lay the chosen keys' Bezier handles anew."""
        if self.state.document is not None and self.state.choice:
            self.take(
                shaping.handled(self.state.document.timeline, self.state.choice, how),
                self.tr("Lay handles"),
            )

    def set_ends(self, paths: Iterable[str], ends: str) -> None:
        """What tracks do before their first key and after their last."""
        if self.state.document is not None:
            timeline = self.state.document.timeline
            for path in paths:
                track = timeline.tracks[path]
                timeline = timeline.with_track(path, replace(track, ends=ends))
            self.take(timeline, self.tr("Change ends"))

    def copy(self) -> None:
        """Keep the chosen keys, to be pasted."""
        if self.state.document is not None and self.state.choice:
            self._copied = keys.copied(self.state.document.timeline, self.state.choice)

    @property
    def can_paste(self) -> bool:
        """Whether keys were copied."""
        return bool(self._copied)

    def paste(self) -> None:
        """Put the copied keys at the playhead; those of one track may go to another one."""
        if self.state.document is None or not self._copied:
            return
        held = self._copied
        sources, targets = {path for path, _ in held}, self.state.tracks
        if len(sources) == len(targets) == 1 and targets[0] not in sources:
            track = self.state.document.timeline.tracks.get(targets[0])
            if track and len(track.keys[0].value) == len(held[0][1].value):
                held = tuple((targets[0], key) for _, key in held)
        try:
            at = self._session.playback.time
            timeline, choice = keys.pasted(self.state.document.timeline, held, at)
        except PolyoramaError as error:
            self._session.report(error)
            return
        self.take(timeline, self.tr("Paste keys"))
        self.state.choose(choice)

    def key(self, path: str, seconds: float) -> None:
        """Key a property at a time, at the value that it has there."""
        if self.run("key", path=path, time=seconds):
            self.state.choose({path: frozenset((seconds,))})

    def add_cue(self, seconds: float) -> Cue | None:
        """Add a cue with the next free name; None where nothing is open."""
        timeline = self.state.timeline
        if timeline is None:
            return None
        taken = {cue.name for cue in timeline.cues}
        numbers = range(1, len(taken) + 2)
        name = next(n for n in map(self.tr("Cue {0}").format, numbers) if n not in taken)
        self.run("add_cue", time=seconds, name=name)
        return Cue(seconds, name)

    def nudge(self, frames: int) -> None:
        """Move the chosen keys by whole frames; without any, the playhead."""
        if self.state.choice and self.state.timeline is not None:
            self.move(frames / self.state.timeline.fps)
        else:
            self._session.playback.step_frames(frames)


def _pairs(choice: keys.Choice) -> tuple[tuple[str, float], ...]:
    return tuple((path, time) for path in choice for time in sorted(choice[path]))


def _few(old: Track, fresh: Track) -> tuple[list[float], list[Key]] | None:
    """Times of keys that go, and keys that come or change; None where these are many."""
    if old.ends != fresh.ends or abs(len(old.keys) - len(fresh.keys)) > _FEW:
        return None
    known, wanted = set(old.keys), set(fresh.keys)
    came = sorted(wanted - known, key=lambda key: key.time)
    times = {key.time for key in fresh.keys}
    gone = sorted(key.time for key in known - wanted if key.time not in times)
    # A track is never without keys, not even for a moment: it would lose its ends.
    if len(came) + len(gone) > _FEW or len(gone) == len(old.keys):
        return None
    return gone, came


def _arguments(document: Document, path: str, key: Key) -> dict[str, Any]:
    """What the operation ``key`` is given to make a key."""
    value = from_values(parameter_at(document, path), key.value)
    given: dict[str, Any] = {
        "time": key.time, "value": value, "interpolation": key.interpolation,
    }  # fmt: skip
    if key.smoothness != 1.0:
        given["smoothness"] = key.smoothness
    if key.before:
        given["before"] = key.before
    if key.after:
        given["after"] = key.after
    return given
