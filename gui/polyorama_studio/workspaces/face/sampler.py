"""Takes that are tried: the same script with other seeds and temperatures, and small pictures."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from polyorama.core.jobs import Progress
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.channels import CHANNEL_INDEX, REGIONS
from polyorama_studio.governor import FULL
from polyorama_studio.newest import Newest
from polyorama_studio.rendering import Channel, Request
from polyorama_studio.workspaces.face.portrait import portrait_view, stage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from PySide6.QtGui import QImage

    from polyorama.core.jobs import Job
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.rendering import Picture
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.works import Works

__all__ = ["Sampler", "Tried", "activity", "telling_moment"]

_SIDE = 96
_SURFELS = 32_000
_COLUMNS = 96


@dataclass(slots=True, eq=False)
class Tried:
    """A take: what it was made with, its curves, a line of how much moves, a picture."""

    seed: int
    temperature: float
    performance: Performance
    line: NDArray[np.float32]
    image: QImage | None = None


def activity(performance: Performance, region: str, columns: int = _COLUMNS) -> NDArray[np.float32]:
    """(columns,) how far a region is from rest at equal steps of time, 0..1."""
    rows = [CHANNEL_INDEX[name] for name in REGIONS[region]]
    strength = np.abs(performance.weights[:, rows]).sum(axis=1)
    ends = np.linspace(0, len(strength), columns + 1).astype(int)
    found = [strength[a : max(b, a + 1)].max(initial=0.0) for a, b in itertools.pairwise(ends)]
    line = np.array(found, np.float32)
    return np.asarray(line / max(float(line.max()), 0.2), np.float32)


def telling_moment(performances: list[Performance]) -> float:
    """When takes differ most, s."""
    if not performances:
        return 0.0
    count = min(len(p.weights) for p in performances)
    stacked = np.stack([p.weights[:count] for p in performances])
    return float(np.argmax(stacked.std(axis=0).sum(axis=1)) / performances[0].fps)


def _made(
    works: Works, script: FaceScript, seeds: list[int], temperature: float
) -> Job[list[Tried]]:
    tried: list[Tried] = []
    for number, seed in enumerate(seeds):
        yield Progress(number, len(seeds), "Trying takes")
        take = works.tried(replace(script, seed=seed, temperature=temperature, comp=()))
        curves = take.performance
        tried.append(Tried(seed, temperature, curves, activity(curves, "mouth")))
    return tried


class Sampler(QObject):
    """Makes takes beside the GUI, then their pictures, one by one.

    Parameters
    ----------
    desk
        Whose script is tried.
    """

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.takes: list[Tried] = []
        self.region = "mouth"
        self._script: FaceScript | None = None
        self._making = Newest(desk.session, "Try takes", self)
        self._channel: Channel | None = None
        self._queue: Iterator[Tried] = iter(())
        self._generation = 0
        desk.changed.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether takes are being made."""
        return self._making.busy

    def make(self, count: int, temperature: float) -> None:
        """Try so many seeds, from the script's own on."""
        script = self._desk.script
        if not self._desk.speaks:
            return
        seeds = [script.seed + k for k in range(count)]
        self._script = script
        work = partial(_made, self._desk.works, script, seeds, temperature)
        self._making.ask(work, self._on_made, self._on_failed)
        each = f"evaluate(replace(script, seed=seed, temperature={temperature:g}), engine)"
        self._desk.session.log_python(f"takes = [{each} for seed in {seeds}]")
        self.changed.emit()

    def set_region(self, region: str) -> None:
        """Let lines show how a region moves."""
        self.region = region
        for tried in self.takes:
            tried.line = activity(tried.performance, region)
        self.changed.emit()

    @Slot()
    def _look(self) -> None:
        """Takes of another voice are of no use."""
        if self.takes and self._script is not None and (
            self._desk.script.sound is not self._script.sound
        ):  # fmt: skip
            self.takes = []
            self._queue = iter(())
            self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._desk.session.report(error)
        self.changed.emit()

    def _on_made(self, takes: list[Tried]) -> None:
        self.takes = takes
        for tried in takes:
            tried.line = activity(tried.performance, self.region)
        self._generation += 1
        self._queue = iter(list(takes))
        self._draw_next(telling_moment([t.performance for t in takes]))
        self.changed.emit()

    # Pictures

    def _draw_next(self, time: float) -> None:
        tried, rig = next(self._queue, None), self._desk.rig
        if tried is None or rig is None:
            return
        if self._channel is None:
            self._channel = Channel(self._desk.session.stage.loop, self._deliver)
        self._drawn = (tried, time)
        self._channel.submit(self._request(rig, tried, time))

    def _request(self, rig: MorphRig, tried: Tried, time: float) -> Request:
        theme = self._desk.session.theme
        actor = Actor(rig=rig, performance=tried.performance, surfels=_SURFELS)
        document = stage_of(actor, dark=theme.tokens.name == "dark")
        view = portrait_view(rig)
        color = theme.tokens.color("ground")
        backdrop = (color.redF(), color.greenF(), color.blueF())
        return Request(
            self._generation, document, view, view.camera(_SIDE, _SIDE), FULL, None, backdrop,
            time=time,
        )  # fmt: skip

    def _deliver(self, picture: Picture) -> None:
        # On the render thread.
        self._desk.session.bridge.post(("take", id(self)), self._on_picture, picture)

    def _on_picture(self, picture: Picture) -> None:
        if picture.request.generation != self._generation:
            return
        tried, time = self._drawn
        tried.image = picture.image
        self.changed.emit()
        self._draw_next(time)

    def close(self) -> None:
        """Draw nothing more."""
        if self._channel is not None:
            self._channel.close()
