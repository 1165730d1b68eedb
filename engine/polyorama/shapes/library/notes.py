"""What lies beside models and says something about them: manifests, licences, and their names."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyorama.core.text import one_line
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "LICENCE_NAME", "MANIFEST", "Note", "licence_of", "plain_name", "read_licence", "read_manifest",
]  # fmt: skip

MANIFEST = "manifest.json"
LICENCE_NAME = re.compile(r"(?i)^(un)?licen[cs]e([-_.].*)?$|^copying(\..*)?$")
"""Names of files that hold a licence."""

_MOST_MANIFEST = 16 << 20
_MOST_LICENCE = 64 << 10
_MOST_TEXT = 2000
_MOST_TAGS = 64
_MOST_ITEMS = 200_000

_LICENCES: tuple[tuple[str, str], ...] = (
    (r"\bcc0\b|creative commons zero|publicdomain/zero", "CC0-1.0"),
    (r"licenses/by-nc-sa/(?P<v>[\d.]+\d)|attribution-noncommercial-sharealike (?P<w>[\d.]+\d)",
     "CC-BY-NC-SA"),
    (r"licenses/by-nc-nd/(?P<v>[\d.]+\d)|attribution-noncommercial-noderiv\w* (?P<w>[\d.]+\d)",
     "CC-BY-NC-ND"),
    (r"licenses/by-nc/(?P<v>[\d.]+\d)|attribution-noncommercial (?P<w>[\d.]+\d)", "CC-BY-NC"),
    (r"licenses/by-sa/(?P<v>[\d.]+\d)|attribution-sharealike (?P<w>[\d.]+\d)", "CC-BY-SA"),
    (r"licenses/by-nd/(?P<v>[\d.]+\d)|attribution-noderiv\w* (?P<w>[\d.]+\d)", "CC-BY-ND"),
    (r"licenses/by/(?P<v>[\d.]+\d)|creative commons attribution (?P<w>[\d.]+\d)"
     r"|\bcc[- ]by[- ](?P<x>\d[\d.]*\d)", "CC-BY"),
    (r"apache license,? version 2\.0|apache license version 2\.0", "Apache-2.0"),
    (r"permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
    (r"redistribution and use in source and binary forms.*neither the name", "BSD-3-Clause"),
    (r"redistribution and use in source and binary forms", "BSD-2-Clause"),
    (r"gnu lesser general public license.*version 3", "LGPL-3.0"),
    (r"gnu affero general public license.*version 3", "AGPL-3.0"),
    (r"gnu general public license.*version 3", "GPL-3.0"),
    (r"gnu general public license.*version 2", "GPL-2.0"),
    (r"mozilla public license,? version 2\.0|mozilla public license version 2\.0", "MPL-2.0"),
    (r"free and unencumbered software released into the public domain", "Unlicense"),
    (r"sil open font license", "OFL-1.1"),
    (r"public domain", "Public Domain"),
    (r"all rights reserved", "All rights reserved"),
)  # fmt: skip
"""Key sentences, in lower case with single blanks, the more special ones first."""

_VERSIONED = re.compile(r"^CC-BY")
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s_\-.+,;()\[\]{}]+")


@dataclass(frozen=True, slots=True)
class Note:
    """What a manifest says of one file; "" and () where it says nothing."""

    title: str = ""
    tags: tuple[str, ...] = ()
    licence: str = ""
    author: str = ""


def plain_name(stem: str) -> str:
    """A file's name as words: chair_A_wood is "chair A wood", OfficeChair is "Office Chair"."""
    words = _SEPARATORS.sub(" ", _CAMEL.sub(" ", one_line(stem)))
    return words.strip() or one_line(stem)


def licence_of(text: str) -> str:
    """The short name of a licence by its key sentences; "" where none is known."""
    plain = " ".join(text.lower().split())
    for pattern, name in _LICENCES:
        match = re.search(pattern, plain)
        if match is None:
            continue
        version = next((v for v in match.groupdict().values() if v), "")
        return f"{name}-{version}" if version and _VERSIONED.match(name) else name
    return ""


def read_licence(path: Path) -> str:
    """The short name of the licence in a file; "" where none is known.

    Raises
    ------
    FileFormatError
        If the file cannot be read.
    """
    with reading(path), path.open("rb") as file:
        return licence_of(file.read(_MOST_LICENCE).decode("utf-8", "replace"))


def read_manifest(path: Path) -> dict[str, Note]:
    """Notes by file name, from a list of ``{file, title, tags, license, author}``.

    Raises
    ------
    FileFormatError
        If it cannot be read, is too large, or no such list.
    """
    size = file_size(path)
    if size > _MOST_MANIFEST:
        raise FileFormatError(
            f"The manifest has {size:,} bytes, more than the {_MOST_MANIFEST:,} that are read; "
            f"split it by folder: {path}"
        )
    with reading(path):
        data = path.read_bytes()
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"The manifest is no JSON; correct it: {path}") from error
    if isinstance(found, dict):
        found = found.get("assets", found.get("files"))
    if not isinstance(found, list):
        raise FileFormatError(
            f"The manifest is no list of files with titles and tags; correct it: {path}"
        )
    notes: dict[str, Note] = {}
    for item in found[:_MOST_ITEMS]:
        if isinstance(item, dict) and isinstance(item.get("file"), str):
            notes[item["file"]] = _note(item)
    return notes


def _note(item: dict[str, Any]) -> Note:
    tags = item.get("tags")
    listed = tags if isinstance(tags, list) else []
    kept = dict.fromkeys(_text(tag) for tag in listed[:_MOST_TAGS])
    return Note(
        _text(item.get("title")), tuple(tag for tag in kept if tag),
        _text(item.get("license", item.get("licence"))), _text(item.get("author")),
    )  # fmt: skip


def _text(value: object) -> str:
    return one_line(value[:_MOST_TEXT]).strip() if isinstance(value, str) else ""
