"""Where sound comes from: the protocol of all sources, and files paced by a clock."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyorama.face.live.blocks import SoundBlock
from polyorama.face.live.clock import SteadyClock
from polyorama.face.speech.prosody import RATE, checked_speech

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.face.live.clock import Clock

__all__ = ["FileSource", "SoundSource"]

_BLOCK_S = 0.01


class SoundSource(Protocol):
    """Gives sound in blocks, each as soon as it is there."""

    @property
    def name(self) -> str:
        """What it is, for people."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock that its blocks are stamped with."""
        ...

    @property
    def state(self) -> str:
        """One of "running", "waiting" for a device that is away, and "ended"."""
        ...

    @property
    def note(self) -> str:
        """Why it waits, in a sentence, or ""."""
        ...

    @property
    def lost(self) -> int:
        """Blocks that came and were overwritten before they were read."""
        ...

    def start(self) -> None:
        """Begin.

        Raises
        ------
        UnavailableError
            If it cannot.
        """
        ...

    def read(self) -> Sequence[SoundBlock]:
        """Blocks that came since the last call; it never waits."""
        ...

    def close(self) -> None:
        """End; it may not be started again."""
        ...


class FileSource:
    """A recording, given out as a microphone would.

    Parameters
    ----------
    samples
        (n,) mono, -1..1.
    rate
        Samples in a second, Hz.
    clock
        Its pace: the machine's clock, or a `VirtualClock` that takes no time.
    name
        For people.

    Raises
    ------
    UsageError
        If the samples are no row of finite numbers.
    """

    note = ""
    lost = 0

    def __init__(
        self,
        samples: NDArray[np.floating],
        rate: int = RATE,
        clock: Clock | None = None,
        name: str = "file",
    ) -> None:
        self._samples = checked_speech(samples)
        self.rate = rate
        self.name = name
        self.clock: Clock = clock or SteadyClock()
        self._block = max(round(_BLOCK_S * rate), 1)
        self._begun: float | None = None
        self._given = 0
        self._closed = False

    @classmethod
    def of(cls, path: str | os.PathLike[str], clock: Clock | None = None) -> FileSource:
        """A file of sound, or a film's.

        Raises
        ------
        FileFormatError
            If it is missing, damaged, or holds no sound.
        """
        from polyorama.face.speech.sound import load_speech

        return cls(load_speech(path), RATE, clock, Path(path).name)

    @property
    def state(self) -> str:
        """Whether there is more."""
        return "ended" if self._closed or self._given >= len(self._samples) else "running"

    def start(self) -> None:
        """Its first sample is in the air now."""
        self._begun = self.clock.now()

    def read(self) -> list[SoundBlock]:
        """Blocks that are over by now, each handed over the moment that it was."""
        if self._begun is None or self._closed:
            return []
        found = []
        now = self.clock.now()
        while self._given < len(self._samples):
            end = self._given + self._block
            due = self._begun + end / self.rate
            if due > now:
                break
            part = self._samples[self._given : end]
            adc = self._begun + self._given / self.rate
            found.append(SoundBlock(np.asarray(part, np.float32), self.rate, adc, due))
            self._given = end
        return found

    def close(self) -> None:
        """Give no more."""
        self._closed = True
