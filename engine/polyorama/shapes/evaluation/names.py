"""File names as words: what people called a model, without its numbering."""

from __future__ import annotations

import re

__all__ = ["base_name", "plain_words"]

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_NUMBERING = re.compile(
    r"[A-Za-z]|\d+|small|medium|large|big|mat|lod|obj|mesh|model", re.IGNORECASE
)


def plain_words(stem: str) -> str:
    """A file's name as words: ``bathroomCabinet_A_02`` becomes ``bathroom cabinet A 02``."""
    return " ".join(re.split(r"[\s_.\-]+", _CAMEL.sub(" ", stem))).strip()


def base_name(stem: str) -> str:
    """The same in lower case, without variant letters, sizes and numbers.

    A name of nothing else stays as it is.
    """
    words = plain_words(stem).split()
    kept = [word for word in words if not _NUMBERING.fullmatch(word)]
    return " ".join(kept or words).lower()
