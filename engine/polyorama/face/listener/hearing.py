"""The listener: sound in, and who says what at once: phones, mouth curves, content features."""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.listener.closure import (
    CLOSURE_BIAS,
    CLOSURE_WEIGHTS,
    SpectrumDips,
    closure_terms,
)
from polyorama.face.listener.mel import HOP, MELS, RATE, MelStream, RunningNorm
from polyorama.face.listener.runtime import STEP_HOPS, NetworkState, StepNetwork
from polyorama.face.listener.targets import CURVES
from polyorama.face.listener.weights import read_weights
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["LISTENING_RATE", "LOOKAHEADS", "Listener", "ListenerStream", "Listening"]

LOOKAHEADS: tuple[int, ...] = (20, 60)
"""Sound after a frame's middle that the shipped networks hear before they answer, ms."""

LISTENING_RATE = RATE / (HOP * STEP_HOPS)
"""Frames a second: 50. Frame k lasts from k / 50 s to (k + 1) / 50 s."""

_STEP = HOP * STEP_HOPS
_BLOCK = 60 * RATE


@dataclass(frozen=True, slots=True, eq=False)
class Listening:
    """What was heard, a row a frame.

    Parameters
    ----------
    posteriors
        (T, 40) float32 probabilities of `PHONES`.
    features
        (T, D) float32 content of the speech, within -1..1: the network's bottleneck.
    curves
        (T, 3) float32 of `CURVES` (jaw, rounding, closure), each 0..1.
    rate
        Frames a second.
    """

    posteriors: NDArray[np.float32]
    features: NDArray[np.float32]
    curves: NDArray[np.float32]
    rate: float = LISTENING_RATE

    def __len__(self) -> int:
        return len(self.posteriors)


class Listener:
    """A network that hears speech with a look-ahead; many streams may share it.

    Parameters
    ----------
    network
        Its weights.
    lookahead_ms
        Sound after a frame's middle that it needs, ms: 20, 30, ... 200.
    digest
        First letters of its file's SHA-256.

    Raises
    ------
    UsageError
        If there can be no such look-ahead.
    """

    def __init__(self, network: StepNetwork, lookahead_ms: int, digest: str = "") -> None:
        if lookahead_ms % 10 or not 20 <= lookahead_ms <= 200:
            raise UsageError(f"A look-ahead is 20 to 200 ms in tens, not {lookahead_ms} ms.")
        self.network = network
        self.lookahead_ms = lookahead_ms
        self.digest = digest

    @classmethod
    def load(cls, lookahead_ms: int = 60, path: str | os.PathLike[str] | None = None) -> Listener:
        """Read a listener.

        Parameters
        ----------
        lookahead_ms
            One of `LOOKAHEADS`; with a path, what the file was trained for.
        path
            A file of weights; None reads the one that comes with Polyorama.

        Raises
        ------
        UsageError
            If no listener of that look-ahead comes with Polyorama.
        FileFormatError
            If the file is missing or damaged, or was trained for another look-ahead.
        """
        import hashlib

        if path is None and lookahead_ms not in LOOKAHEADS:
            raise UsageError(f"Listeners look ahead 20 or 60 ms, not {lookahead_ms} ms.")
        name = f"listener-{lookahead_ms}.safetensors"
        folder = importlib.resources.files("polyorama_assets") / "face"
        with importlib.resources.as_file(folder / name) as shipped:
            source = shipped if path is None else Path(path)
            arrays, texts = read_weights(source)
            digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
        if texts.get("lookahead_ms") != str(lookahead_ms):
            raise FileFormatError(
                f"This listener was not trained to look ahead {lookahead_ms} ms: {source}"
            )
        return cls(StepNetwork(arrays), lookahead_ms, digest)

    @property
    def latency_s(self) -> float:
        """Sound after a frame's middle that its answer waits for, s."""
        return self.lookahead_ms / 1000.0

    @property
    def features(self) -> int:
        """Numbers in a row of features."""
        return self.network.features

    def stream(self) -> ListenerStream:
        """Begin to hear a sound that comes in blocks."""
        return ListenerStream(self)

    def listen(self, samples: NDArray[Any]) -> Listening:
        """Hear a whole sound: one frame for each 20 ms, the last one filled up with silence.

        Parameters
        ----------
        samples
            (n,) mono at 16 kHz, within -1..1.

        Raises
        ------
        UsageError
            If it is no such array.
        """
        stream = self.stream()
        sound = _checked(samples)
        parts = [stream.push(sound[at : at + _BLOCK]) for at in range(0, len(sound), _BLOCK)]
        return _joined([*parts, stream.finish()], self.features)

    def closure_terms(self, samples: NDArray[Any]) -> NDArray[np.float32]:
        """(T, 5) of `closure_terms` at the frames of a whole sound, to fit their weights by."""
        sound = _checked(samples)
        stream = self.stream()
        tail = np.zeros(RATE // 2, np.float32)
        logits, _, dips = stream.rows(np.concatenate([sound, tail]))
        frames = -(-len(sound) // _STEP)
        terms = closure_terms(_posteriors(logits), logits[:, -1], dips)
        return terms[:frames]


class ListenerStream:
    """One sound being heard.

    Parameters
    ----------
    listener
        Who hears.
    """

    def __init__(self, listener: Listener) -> None:
        net = listener.network
        self._listener = listener
        self._mel = MelStream()
        self._norm = RunningNorm(net.mean, net.variance, net.peak)
        self._state = NetworkState(net)
        # Frame k is answered when hop 2 k + 1 + (lookahead - 10) / 10 is there: with an odd number
        # of hops ahead the steps are shifted by one, which a first hop of nothing makes up for.
        ahead = listener.lookahead_ms // 10 - 1
        self._shift = ahead % STEP_HOPS
        self._delay = (ahead + self._shift) // STEP_HOPS
        self._dips = SpectrumDips(self._delay)
        self.reset()

    @property
    def latency_s(self) -> float:
        """Sound after a frame's middle that its answer waits for, s."""
        return self._listener.latency_s

    def reset(self) -> None:
        """Forget, and begin a new sound."""
        for part in (self._mel, self._norm, self._state, self._dips):
            part.reset()
        self._hops = np.zeros((self._shift, MELS), np.float32)
        self._late = self._delay
        self._heard = self._given = 0

    def push(self, samples: NDArray[Any]) -> Listening:
        """Hear more, and tell the frames that are now known; often none or one.

        Parameters
        ----------
        samples
            (n,) mono at 16 kHz, within -1..1; any n.

        Raises
        ------
        UsageError
            If it is no such array.
        """
        sound = _checked(samples)
        self._heard += len(sound)
        found = _told(*self.rows(sound))
        self._given += len(found)
        return found

    def finish(self) -> Listening:
        """The frames that still wait for sound, as if silence followed; then begins anew."""
        wanted = -(-self._heard // _STEP) - self._given
        # One hop more than needed does no harm: what is too much is left out.
        silence = np.zeros((wanted + self._delay + 1) * _STEP, np.float32)
        found = _told(*self.rows(silence))
        self.reset()
        return Listening(found.posteriors[:wanted], found.features[:wanted], found.curves[:wanted])

    def rows(
        self, sound: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Logits, features and dips of the frames that are now known, before they are told."""
        normal = self._norm.push(self._mel.push(sound))
        hops = np.concatenate([self._hops, normal])
        steps = len(hops) // STEP_HOPS
        self._hops = hops[steps * STEP_HOPS :]
        taken = hops[: steps * STEP_HOPS].reshape(steps, STEP_HOPS * MELS)
        logits, features = self._state.push(taken)
        dips = self._dips.push(taken)
        skip = min(self._late, steps)
        self._late -= skip
        return logits[skip:], features[skip:], dips[skip:]


def _told(
    logits: NDArray[np.float32], features: NDArray[np.float32], dips: NDArray[np.float32]
) -> Listening:
    posteriors = _posteriors(logits)
    curves = logits[:, len(PHONES) :].copy()
    terms = closure_terms(posteriors, curves[:, 2], dips)
    curves[:, 2] = terms @ np.array(CLOSURE_WEIGHTS, np.float32) + CLOSURE_BIAS
    return Listening(
        posteriors,
        features.astype(np.float32),
        (0.5 + 0.5 * np.tanh(0.5 * curves)).astype(np.float32),
    )


def _posteriors(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    phones = logits[:, : len(PHONES)]
    odds = np.exp(phones - phones.max(axis=1, keepdims=True)) if len(phones) else phones
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


def _checked(samples: NDArray[Any]) -> NDArray[np.float32]:
    sound = np.asarray(samples)
    if sound.ndim != 1 or sound.dtype.kind != "f":
        raise UsageError("Speech is heard from mono samples within -1..1, an array of floats.")
    if not np.isfinite(sound).all():
        raise UsageError("The sound holds samples that are no numbers.")
    return np.asarray(sound, np.float32)


def _joined(parts: list[Listening], features: int) -> Listening:
    return Listening(
        np.concatenate([np.zeros((0, len(PHONES)), np.float32), *(p.posteriors for p in parts)]),
        np.concatenate([np.zeros((0, features), np.float32), *(p.features for p in parts)]),
        np.concatenate([np.zeros((0, len(CURVES)), np.float32), *(p.curves for p in parts)]),
    )
