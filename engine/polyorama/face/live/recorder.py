"""A live face kept as a take, with its sound and the phones that were heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.listener.decoding import phones_of
from polyorama.face.listener.hearing import LISTENING_RATE, Listening
from polyorama.face.live.follower import FOLLOW_S, FRAME
from polyorama.face.motion.manners import manner_of
from polyorama.face.speech.prosody import RATE
from polyorama.face.take import TRAINED_ON, Provenance, Take
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.live.follower import FollowedFrame
    from polyorama.face.live.settings import LiveSettings

__all__ = ["LONGEST", "Recorder"]

LONGEST = 30 * 60.0
"""Of a recording, s: about 100 MB."""

_STEP = 1024
_SHOWS = FRAME // 2 - round(FOLLOW_S * RATE)
"""What a frame shows, in samples after the first of those in which it was heard."""


class Recorder:
    """Keeps frames and sound from a frame on.

    Parameters
    ----------
    first
        Number of its first frame.
    """

    def __init__(self, first: int) -> None:
        self._rows: list[NDArray[np.float32]] = []
        self._heard: list[NDArray[np.float16]] = []
        self._emotions: list[tuple[float, ...]] = []
        self._sound: list[NDArray[np.int16]] = []
        self._samples = 0
        # Row t of a take is the face at t / fps, so its sound begins with what its first row shows.
        self.begins = first * FRAME + _SHOWS

    @property
    def seconds(self) -> float:
        """How much is kept, s."""
        return len(self._rows) / LISTENING_RATE

    @property
    def full(self) -> bool:
        """Whether no more is kept."""
        return self.seconds >= LONGEST

    @property
    def note(self) -> str:
        """That no more is kept, in a sentence, or ""."""
        if not self.full:
            return ""
        return f"The recording is full ({LONGEST / 60.0:.0f} min); end it, and begin another."

    def hear(self, samples: NDArray[np.float32], index: int) -> None:
        """Keep samples of which the first has a number; those before the first frame are not."""
        part = samples[max(self.begins - index, 0) :]
        room = int(LONGEST * RATE) + RATE - self._samples
        part = part[: max(room, 0)]
        if len(part):
            self._sound.append(np.round(np.clip(part, -1.0, 1.0) * 32767.0).astype(np.int16))
            self._samples += len(part)
        if len(self._sound) > _STEP:
            self._sound = [np.concatenate(self._sound)]

    def show(self, frame: FollowedFrame, emotion: tuple[float, ...]) -> None:
        """Keep a frame."""
        if self.full:
            return
        self._rows.append(frame.weights)
        self._heard.append(frame.posteriors.astype(np.float16))
        self._emotions.append(emotion)

    def take(self, settings: LiveSettings, digest: str) -> Take:
        """What was kept.

        Parameters
        ----------
        settings
            Of the session.
        digest
            Of the listener's weights.

        Raises
        ------
        UsageError
            If nothing was.
        """
        if not self._rows:
            raise UsageError("Nothing was recorded yet; record for at least a moment.")
        count = len(self._rows)
        sound = np.zeros(count * FRAME, np.float32)
        kept = np.concatenate([np.zeros(0, np.int16), *self._sound])[: len(sound)]
        sound[: len(kept)] = kept / np.float32(32767.0)
        return Take(
            Performance(np.stack(self._rows), LISTENING_RATE),
            self._provenance(settings, digest),
            self._phones(),
            np.asarray(self._emotions, np.float32),
            Audio(samples=sound[:, None], rate=RATE),
        )

    def _phones(self) -> PhoneTrack:
        heard = np.stack(self._heard).astype(np.float32)
        none = np.zeros((len(heard), 0), np.float32)
        late = -_SHOWS / RATE
        return PhoneTrack(
            tuple(
                Phone(p.symbol, p.start + late, min(p.end + late, self.seconds))
                for p in phones_of(Listening(heard, none, none)).phones
                if p.start + late < self.seconds
            )
        )

    def _provenance(self, settings: LiveSettings, digest: str) -> Provenance:
        from polyorama import __version__

        emotion = np.mean(self._emotions, axis=0)
        felt = [
            f"{name} {amount:.2f}"
            for name, amount in zip(EMOTIONS, emotion, strict=True) if amount >= 0.005
        ]  # fmt: skip
        return Provenance(
            "live",
            model=f"listener-{settings.lookahead_ms} {digest}".strip(),
            training=TRAINED_ON,
            seed=settings.seed,
            speaker=manner_of(settings.speaker).name,
            emotion=", ".join(felt),
            program=f"Polyorama {__version__}",
        )
