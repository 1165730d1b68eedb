"""Texts to token ids: CLIP's byte pairs (Sennrich et al. 2016) and SigLIP's pieces.

The `tokenizers` package does the work; here lie the rules that each model adds to it.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import string
from typing import TYPE_CHECKING, Any

import torch

from polyorama.core.text import reason_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.shapes.clip.config import TextConfig

__all__ = ["CLIP_VOCABULARY", "VOCABULARIES", "Words", "clip_words", "siglip_words"]

CLIP_VOCABULARY = "clip-vocabulary"
"""Id of CLIP's vocabulary among the models that can be fetched."""

_BPE = "bpe_simple_vocab_16e6.txt.gz"
VOCABULARIES = ("tokenizer.json", "vocab.json", "merges.txt", _BPE)
"""Names of the files that vocabularies lie in."""
_MERGES = 49152 - 256 - 2
"""Pairs that are used of the published list; the rest of its lines are left out by its authors."""
_MOST_FILE = 64 << 20
_MOST_TEXT = 64 << 20
_MOST_LETTERS = 10_000
_START, _END = "<|startoftext|>", "<|endoftext|>"
_WORD_END = "</w>"
_PIECES = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_SIGLIP_END = "</s>"
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Words:
    """Texts to ids of one length.

    Parameters
    ----------
    tokenizer
        Of the `tokenizers` package; it cuts off what is too long and keeps the end token.
    clean
        What happens to a text before.
    """

    def __init__(self, tokenizer: Any, clean: Callable[[str], str]) -> None:
        self._tokenizer, self._clean = tokenizer, clean

    def __call__(self, texts: Sequence[str]) -> torch.Tensor:
        """(N, L) int64 ids of N texts; what exceeds L tokens does not count."""
        cleaned = [self._clean(text[:_MOST_LETTERS]) for text in texts]
        return torch.tensor([code.ids for code in self._tokenizer.encode_batch(cleaned)])


def clip_words(places: Sequence[Path], config: TextConfig) -> Words:
    """CLIP's words.

    Texts lose HTML's entities, double spaces and capitals. (The original also mends text that was
    decoded wrongly; text as people type it is the same either way.)

    Parameters
    ----------
    places
        Folders or files to look for ``tokenizer.json``, ``vocab.json`` with ``merges.txt``, or
        ``bpe_simple_vocab_16e6.txt.gz``.
    config
        Of the text tower: its context, and the ids that it knows.

    Raises
    ------
    UnavailableError
        If none is there; the text says how to get it.
    FileFormatError
        If what is there is damaged, or another model's.
    """
    path = _first(places, ("tokenizer.json", "vocab.json", _BPE))
    if path is None:
        raise UnavailableError(
            f"CLIP's vocabulary is not here, without which no words can be read; "
            f"`polyorama models get {CLIP_VOCABULARY}` gets it, or put {_BPE} beside the weights."
        )
    if path.name == "tokenizer.json":
        tokenizer = _from_json(path)
    elif path.name == "vocab.json":
        tokenizer = _bpe(_vocabulary(path), _merges(path.with_name("merges.txt")), path)
    else:
        merges = _published_merges(path)
        tokenizer = _bpe(_published_vocabulary(merges), merges, path)
    end = tokenizer.token_to_id(_END)
    # The text tower is read at the largest id.
    if end is None or end != config.vocabulary - 1 or tokenizer.token_to_id(_START) is None:
        raise FileFormatError(
            f"This vocabulary is not that of the weights, which know {config.vocabulary:,} tokens: "
            f"{path}"
        )
    tokenizer.enable_truncation(config.context)
    tokenizer.enable_padding(length=config.context, pad_id=0, pad_token="!")
    return Words(tokenizer, _clip_clean)


def siglip_words(places: Sequence[Path], config: TextConfig) -> Words:
    """SigLIP's words: without capitals and punctuation, filled up to the full length.

    Raises
    ------
    UnavailableError
        If there is no ``tokenizer.json`` in `places`.
    FileFormatError
        If it is damaged, or another model's.
    """
    path = _first(places, ("tokenizer.json",))
    if path is None:
        raise UnavailableError(
            "SigLIP's vocabulary is not here, without which no words can be read; put its "
            "tokenizer.json beside the weights."
        )
    tokenizer = _from_json(path)
    end = tokenizer.token_to_id(_SIGLIP_END)
    if end is None or tokenizer.get_vocab_size() > config.vocabulary:
        raise FileFormatError(
            f"This vocabulary is not that of the weights, which know {config.vocabulary:,} tokens: "
            f"{path}"
        )
    tokenizer.no_padding()
    if tokenizer.encode("a").ids[-1:] != [end]:
        _surround(tokenizer, f"$A {_SIGLIP_END}", [(_SIGLIP_END, end)])
    tokenizer.enable_truncation(config.context)
    tokenizer.enable_padding(length=config.context, pad_id=end, pad_token=_SIGLIP_END)
    return Words(tokenizer, _siglip_clean)


# -- what is done to a text first ------------------------------------------------------------------


def _clip_clean(text: str) -> str:
    plain = html.unescape(html.unescape(text))
    return re.sub(r"\s+", " ", plain).strip().lower()


def _siglip_clean(text: str) -> str:
    return re.sub(r"\s+", " ", text.translate(_NO_PUNCTUATION)).strip().lower()


# -- files -----------------------------------------------------------------------------------------


def _first(places: Sequence[Path], names: Sequence[str]) -> Path | None:
    for place in places:
        if place.is_file() and place.name in names:
            return place
        for name in names:
            if (place / name).is_file():
                return place / name
    return None


def _bytes(path: Path) -> bytes:
    if file_size(path) > _MOST_FILE:
        raise FileFormatError(f"No vocabulary is as large as this: {path}")
    with reading(path):
        return path.read_bytes()


def _from_json(path: Path) -> Any:
    from tokenizers import Tokenizer

    content = _bytes(path)
    try:
        return Tokenizer.from_buffer(content)
    # The package raises a bare Exception.
    except Exception as error:
        raise FileFormatError(
            f"This is no tokenizer.json ({reason_of(error)}); download it again: {path}"
        ) from error


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        values = json.loads(_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"This is no JSON ({reason_of(error)}): {path}") from error
    if not isinstance(values, dict) or not all(type(n) is int for n in values.values()):
        raise FileFormatError(f"A vocabulary gives each piece of text a number: {path}")
    return values


def _merges(path: Path) -> list[tuple[str, str]]:
    return _pairs(_bytes(path), path)


def _published_merges(path: Path) -> list[tuple[str, str]]:
    file_size(path)
    try:
        with reading(path), gzip.open(path) as file:
            content = file.read(_MOST_TEXT + 1)
    except (EOFError, gzip.BadGzipFile, ValueError) as error:
        raise FileFormatError(f"This is no gzip file, or it is damaged: {path}") from error
    except Exception as error:
        # What is damaged within a block is an error of zlib's own.
        raise FileFormatError(f"The file is damaged ({reason_of(error)}): {path}") from error
    if len(content) > _MOST_TEXT:
        raise FileFormatError(f"No vocabulary is as large as this: {path}")
    return _pairs(content, path)[:_MERGES]


def _pairs(content: bytes, path: Path) -> list[tuple[str, str]]:
    """Pairs of pieces, a line each, after a first line that says of which version."""
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"This is no text: {path}") from error
    pairs = [tuple(line.split()) for line in lines[1:] if line.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise FileFormatError(f"Each line of a vocabulary is a pair of pieces: {path}")
    return pairs  # type: ignore[return-value]


def _published_vocabulary(merges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Ids as CLIP numbers them: bytes, bytes that end a word, pairs, start and end."""
    from tokenizers.pre_tokenizers import ByteLevel

    # Printable characters stand for themselves, before those that other bytes are moved to.
    letters = sorted(ByteLevel.alphabet())
    pieces = [*letters, *(letter + _WORD_END for letter in letters)]
    pieces += ["".join(pair) for pair in merges]
    return {piece: number for number, piece in enumerate([*pieces, _START, _END])}


def _bpe(vocabulary: dict[str, int], merges: list[tuple[str, str]], path: Path) -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    try:
        tokenizer = Tokenizer(
            models.BPE(
                vocab=vocabulary, merges=merges, end_of_word_suffix=_WORD_END, unk_token=_END,
                continuing_subword_prefix="", fuse_unk=False,
            )
        )  # fmt: skip
    except Exception as error:
        raise FileFormatError(
            f"Pairs and vocabulary do not belong together ({reason_of(error)}): {path}"
        ) from error
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(_PIECES), behavior="removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ])  # fmt: skip
    start, end = vocabulary.get(_START), vocabulary.get(_END)
    if start is None or end is None:
        raise FileFormatError(f"The vocabulary has no {_START} or {_END}: {path}")
    # Not as special tokens: who types such a thing means its letters.
    _surround(tokenizer, f"{_START} $A {_END}", [(_START, start), (_END, end)])
    return tokenizer


def _surround(tokenizer: Any, template: str, tokens: list[tuple[str, int]]) -> None:
    from tokenizers.processors import TemplateProcessing

    tokenizer.post_processor = TemplateProcessing(single=template, special_tokens=tokens)
