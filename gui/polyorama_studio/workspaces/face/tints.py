"""Colours of emotions and regions: tokens, each emotion with one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from polyorama.scene.faces.channels import EMOTIONS, REGIONS

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from polyorama_studio.theme import Tokens

__all__ = [
    "channel_title", "emotion_color", "emotion_title", "region_color", "region_title",
    "source_title",
]  # fmt: skip

_EMOTIONS = {
    "neutral": "quiet", "calm": "series3", "happy": "series5", "sad": "series1",
    "angry": "bad", "fearful": "series4", "disgust": "good", "surprised": "series6",
}  # fmt: skip
_REGIONS = ("series4", "series1", "series3", "series6", "series2", "series5", "bad", "quiet")
_PREFIXES = ("brow", "eye", "cheek", "nose", "jaw", "mouth", "head")


def emotion_color(tokens: Tokens, emotion: int) -> QColor:
    """The colour of an emotion, by its index."""
    return tokens.color(_EMOTIONS[EMOTIONS[emotion]])


def emotion_title(emotion: int) -> str:
    """An emotion in words."""
    return QCoreApplication.translate("face", EMOTIONS[emotion].capitalize())


def region_color(tokens: Tokens, region: str) -> QColor:
    """The colour of a region."""
    return tokens.color(_REGIONS[tuple(REGIONS).index(region)])


def region_title(region: str) -> str:
    """A region in words."""
    return QCoreApplication.translate("face", region.capitalize())


def source_title(source: str) -> str:
    """Who moves something, in words."""
    return QCoreApplication.translate("face", source.capitalize())


def channel_title(channel: str, *, whole: bool = False) -> str:
    """A channel in words; below the head of its region without that, unless `whole`.

    Noses are among the cheeks, and keep their name.
    """
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in channel).split()
    if not whole and words[0] in _PREFIXES and words[0] != "nose" and len(words) > 1:
        words = words[1:]
    return QCoreApplication.translate("face", " ".join(words).capitalize())
