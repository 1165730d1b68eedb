"""A folder of models with words about them, to train on."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.core.text import quoted, reason_of
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import file_size, inside, reading
from polyorama.shapes.clip.tensors import read_json
from polyorama.shapes.evaluation.names import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Captioned", "captioned_models"]

_JSON, _CSV = "captions.json", "captions.csv"
_MOST_CSV = 1 << 30
_FIRST_ROW = ("file", "caption")


@dataclass(frozen=True, slots=True)
class Captioned:
    """A model and what is said of it.

    Parameters
    ----------
    name
        Of its file within the folder, with slashes.
    path
        The file.
    captions
        One or more texts, each as true as the others.
    """

    name: str
    path: Path
    captions: tuple[str, ...]


def captioned_models(folder: Path) -> tuple[Captioned, ...]:
    """The models of a folder, by name.

    Captions come from ``captions.json`` (``{"chair.glb": ["a red chair", ...]}``) or
    ``captions.csv`` (rows of file and caption, a file may have several); then only files in it
    take part. Without either they are the files' names in plain words.

    Raises
    ------
    FileFormatError
        If the captions are damaged, or name what is not there.
    UsageError
        If it is no folder, has both files of captions, or fewer than two models.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no such folder of models: {folder}")
    listed = [name for name in (_JSON, _CSV) if (folder / name).exists()]
    if len(listed) == 2:
        raise UsageError(f"There are both {_JSON} and {_CSV}; keep one of them: {folder}")
    if listed:
        source = folder / listed[0]
        texts = _from_json(source) if listed == [_JSON] else _from_csv(source)
        models = [_listed(folder, source, name, captions) for name, captions in texts.items()]
    else:
        models = _by_names(folder)
    if len(models) < 2:
        raise UsageError(f"To tell shapes apart, at least two models are needed: {folder}")
    return tuple(sorted(models, key=lambda model: model.name))


def _by_names(folder: Path) -> list[Captioned]:
    # Readers of formats are only needed here.
    from polyorama.shapes.load import ENDINGS

    models = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = folder.joinpath(place, name)
            if path.suffix.lower() in ENDINGS and not name.startswith("."):
                words = plain_words(path.stem).lower() or path.stem
                within = path.relative_to(folder).as_posix()
                models.append(Captioned(within, path, (words,)))
    return models


def _listed(folder: Path, source: Path, name: str, captions: tuple[str, ...]) -> Captioned:
    path = inside(folder, name, source)
    if not path.is_file():
        raise FileFormatError(f"There is no model {quoted(name)}, of which it tells: {source}")
    return Captioned(name, path, captions)


def _from_json(source: Path) -> Mapping[str, tuple[str, ...]]:
    result = {}
    for name, said in read_json(source).items():
        texts = [said] if isinstance(said, str) else said
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise FileFormatError(f"The captions of {quoted(name)} are no list of texts: {source}")
        result[name] = _kept(name, texts, source)
    return result


def _from_csv(source: Path) -> Mapping[str, tuple[str, ...]]:
    if file_size(source) > _MOST_CSV:
        raise FileFormatError(f"Captions of a gigabyte are not read: {source}")
    found: dict[str, list[str]] = {}
    try:
        with reading(source):
            text = source.read_text(encoding="utf-8-sig")
        for number, row in enumerate(csv.reader(io.StringIO(text, newline="")), 1):
            words = tuple(word.strip() for word in row)
            if not any(words) or (number == 1 and words == _FIRST_ROW):
                continue
            if len(words) != 2:
                raise FileFormatError(f"Row {number} is not a file and a caption: {source}")
            found.setdefault(words[0], []).append(words[1])
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(f"This is no CSV in UTF-8 ({reason_of(error)}): {source}") from error
    return {name: _kept(name, texts, source) for name, texts in found.items()}


def _kept(name: str, texts: list[str], source: Path) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if not kept:
        raise FileFormatError(f"There is no caption of {quoted(name)}: {source}")
    return kept
