"""A change of a script as the line of Python that makes it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.contents import Audio
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    from polyorama.scene.faces.script import FaceScript

__all__ = ["python_of"]

_LONGEST, _MOST = 160, 16
_LARGE = (np.ndarray, Audio, PhoneTrack)
_APPEND = ("keys", "emotion_keys", "comp", "owners", "limits")
"""Fields that hold a few things, of which only those that are new are said."""


def python_of(before: FaceScript, after: FaceScript) -> str:
    """``script = replace(script, ...)`` with what differs; "" where nothing does."""
    parts = []
    for field in fields(after):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if old is new or (not _is_array(old, new) and old == new):
            continue
        parts.append(f"{field.name}={_said(field.name, old, new)}")
    return f"script = replace(script, {', '.join(parts)})" if parts else ""


def _is_array(old: Any, new: Any) -> bool:
    return isinstance(old, np.ndarray) or isinstance(new, np.ndarray)


def _said(name: str, old: Any, new: Any) -> str:
    if name == "style":
        changed = {f.name: getattr(new, f.name) for f in fields(new)
                   if getattr(new, f.name) != getattr(old, f.name)}  # fmt: skip
        inner = ", ".join(f"{key}={_short(value)}" for key, value in changed.items())
        return f"replace(script.style, {inner})"
    if name in _APPEND:
        known = set(old)
        fresh = [item for item in new if item not in known]
        if len(fresh) > _MOST:
            return "(...)"
        kept = len(new) > len(fresh)
        said = ", ".join(map(_short, fresh))
        whole = f"({'..., ' if kept else ''}{said}{',' if said and not kept else ''})"
        return whole if len(whole) <= _LONGEST else "(...)"
    return _short(new)


def _short(value: Any) -> str:
    if isinstance(value, _LARGE) or (isinstance(value, tuple) and len(value) > _MOST):
        return "..."  # writing thousands of numbers for a line that has no room takes its time
    text = repr(round(value, 4) if isinstance(value, float) else value)
    return text if len(text) <= _LONGEST else "..."
