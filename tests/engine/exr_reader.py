"""All of an EXR picture, for tests; the engine itself only ever reads the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import OpenEXR

if TYPE_CHECKING:
    import os

    import numpy as np


def read_exr(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Channels by name, (H, W) each in the type they are stored in, and all attributes."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = {str(name): channel.pixels for name, channel in file.channels().items()}
        return channels, dict(file.header())
