"""The listener: a small causal network that hears phones, mouth curves and content live."""

from __future__ import annotations

from polyorama.face.listener.decoding import MouthCurves, curves_of, phones_of
from polyorama.face.listener.hearing import (
    LISTENING_RATE,
    LOOKAHEADS,
    Listener,
    ListenerStream,
    Listening,
)
from polyorama.face.listener.targets import CURVES, PHONE_CURVES

__all__ = [
    "CURVES", "LISTENING_RATE", "LOOKAHEADS", "PHONE_CURVES", "Listener", "ListenerStream",
    "Listening", "MouthCurves", "curves_of", "phones_of",
]  # fmt: skip
