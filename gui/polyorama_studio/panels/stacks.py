"""Edit stacks as text: for the clipboard, between nodes and programs, and for presets."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.scene.codec import CodecError, decode, encode
from polyorama.scene.modifiers import Modifier, make_modifier
from polyorama.scene.selection import BitSet
from polyorama_studio.fields.words import python_node

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from polyorama_studio.session import Session

__all__ = [
    "BUILT_IN", "add_stack", "built_in", "read_stack", "save_preset", "saved_presets", "stack_text",
]  # fmt: skip

_MOST_BYTES = 64 << 20
_FORMAT = 1

BUILT_IN: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "Golden hour": (
        ("grade", {"exposure": 0.15, "temperature": 0.35, "saturation": 1.15, "gamma": 1.05}),
    ),
    "Moonlight": (
        ("grade", {"exposure": -0.8, "temperature": -0.45, "tint": 0.05, "saturation": 0.7}),
    ),
    "Black and white": (("grade", {"saturation": 0.0, "black": 0.03, "white": 0.94}),),
    "Faded print": (("grade", {"saturation": 0.65, "black": -0.08, "temperature": 0.12}),),
    "Lift haze": (
        ("delete", {"rule": "opacity < 0.04"}),
        ("grade", {"black": 0.06, "white": 0.95}),
    ),
    "Breeze": (("wind", {"amplitude": 0.04, "frequency": 0.4}),),
}
"""Presets that everybody has: kinds and values."""


def stack_text(modifiers: Sequence[Modifier]) -> str:
    """Modifiers as JSON text."""
    entries = [encode(dataclasses.replace(modifier, id="")) for modifier in modifiers]
    return json.dumps({"polyorama": "modifiers", "format": _FORMAT, "modifiers": entries}, indent=1)


def read_stack(text: str, where: str) -> tuple[Modifier, ...]:
    """The modifiers of what `stack_text` wrote.

    Parameters
    ----------
    text
        From anywhere.
    where
        What it is, for messages: "the clipboard" or a file's name.

    Raises
    ------
    FileFormatError
        If it holds something else.
    """
    if len(text) > _MOST_BYTES:
        raise FileFormatError(f"There is too much in {where} for a stack of modifiers.")
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        root = None
    if not isinstance(root, dict) or root.get("polyorama") != "modifiers":
        raise FileFormatError(f"There are no modifiers in {where}; copy some first.")
    if root.get("format") != _FORMAT:
        raise FileFormatError(f"The modifiers in {where} are of a newer version; update Polyorama.")
    try:
        modifiers = decode(root.get("modifiers"))
    except CodecError as error:
        raise FileFormatError(f"The modifiers in {where} are damaged: {error}.") from error
    if not isinstance(modifiers, tuple) or not all(isinstance(m, Modifier) for m in modifiers):
        raise FileFormatError(f"The modifiers in {where} are damaged: they are something else.")
    return modifiers


def add_stack(
    session: Session,
    node_id: str,
    modifiers: Sequence[Modifier],
    title: str,
    index: int | None = None,
) -> bool:
    """Add modifiers at the end of a node's stack, or from a place on, as one step.

    Splats that were picked by hand belong to the node they were picked on: where they do not fit,
    the modifier comes switched off. Tells whether all of them fitted.
    """
    editing = session.editing
    document = editing.document
    if document is None:
        return True
    count, name = len(document.node(node_id).splats or ()), python_node(document, node_id)
    volumes, fitting = {node.id for node in document.nodes}, True
    with editing.gesture(title):
        for offset, modifier in enumerate(modifiers):
            values = {
                field.name: getattr(modifier, field.name)
                for field in dataclasses.fields(modifier)
                if field.name not in ("id", "mask")
            }
            mask = modifier.mask
            if isinstance(mask, BitSet) and mask.count != count:
                mask, values["enabled"], fitting = None, False, False
            if values.get("volume") and values["volume"] not in volumes:
                values["volume"] = ""
            place = {} if index is None else {"index": index + offset}
            editing.run(
                "add_modifier", node=name, kind=modifier.kind, mask=mask, values=values, **place
            )
    return fitting


def built_in(name: str) -> tuple[Modifier, ...]:
    """A preset that everybody has."""
    return tuple(make_modifier(kind, **values) for kind, values in BUILT_IN[name])


def saved_presets(folder: Path) -> tuple[Path, ...]:
    """Files of a person's own presets, by name."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(folder.glob("*.json"), key=lambda path: path.stem.casefold()))


def save_preset(folder: Path, name: str, modifiers: Sequence[Modifier]) -> Path:
    """Keep a stack under a name.

    Raises
    ------
    PolyoramaError
        If the name is none, or the file cannot be written.
    """
    if not re.fullmatch(r"\w[\w \-]{0,63}", name):
        raise PolyoramaError("A preset's name is up to 64 letters, digits, spaces, _ and -.")
    path = folder / f"{name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PolyoramaError(f"The folder of presets cannot be made ({error}): {folder}") from error
    with atomic_write(path) as temporary:
        temporary.write_text(stack_text(modifiers), "utf-8")
    return path
