"""CLIP's and SigLIP's words, against byte pairs merged by hand, and vocabularies that are wrong."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from polyorama.errors import FileFormatError, UnavailableError
from polyorama.shapes.clip.words import Words, clip_words, siglip_words
from tests.engine.clip_samples import CONFIG, MERGES, SIGLIP, VOCABULARY, write_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

TEXT = CONFIG.text
LONG = replace(TEXT, context=60)
START, END = VOCABULARY - 2, VOCABULARY - 1
SENTENCES = (
    "the red chair", "The  RED\tchair!", "chairs, 3 there", "a chair's re-red", "thé naïve chair",
    "&lt;the&gt; chair", "", "日本", "<|endoftext|>",
)  # fmt: skip


def letters() -> dict[int, str]:
    """The letter that stands for each byte: printable ones for themselves."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in kept}
    others = [byte for byte in range(256) if byte not in table]
    return table | {byte: chr(256 + n) for n, byte in enumerate(others)}


def by_hand(text: str, context: int) -> list[int]:
    """Ids of a clean text: pieces, letters of bytes, and the earliest pair merged first."""
    order = [*letters().values()]
    pieces = [*order, *(letter + "</w>" for letter in order), *("".join(p) for p in MERGES)]
    numbers = {piece: n for n, piece in enumerate(pieces)}
    ranks = {pair: n for n, pair in enumerate(MERGES)}
    ids = [START]
    for word in re.findall(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|[^\s\w]+|_+", text):
        parts = [letters()[byte] for byte in word.encode()]
        parts[-1] += "</w>"
        while len(parts) > 1:
            pairs = list(itertools.pairwise(parts))
            best = min(pairs, key=lambda pair: ranks.get(pair, 1 << 30))
            if best not in ranks:
                break
            at = pairs.index(best)
            parts[at : at + 2] = ["".join(best)]
        ids += [numbers[part] for part in parts]
    ids = [*ids[: context - 1], END]
    return ids + [0] * (context - len(ids))


@pytest.mark.parametrize("text", SENTENCES)
def test_byte_pairs_are_those_merged_by_hand(tmp_path: Path, text: str) -> None:
    words = clip_words([write_vocabulary(tmp_path).parent], LONG)
    clean = " ".join(text.replace("&lt;", "<").replace("&gt;", ">").lower().split())
    assert words([text])[0].tolist() == by_hand(clean, LONG.context)


def test_what_is_too_long_is_cut_before_the_end_token(tmp_path: Path) -> None:
    words = clip_words([write_vocabulary(tmp_path)], TEXT)
    ids = words(["the chair " * 50, "x" * 1_000_000])
    assert ids.shape == (2, TEXT.context)
    assert ids[:, -1].tolist() == [END, END]
    assert ids[0].tolist() == by_hand("the chair " * 50, TEXT.context)


def files_of_transformers(folder: Path) -> None:
    order = [*letters().values()]
    pieces = [*order, *(letter + "</w>" for letter in order), *("".join(p) for p in MERGES)]
    table = {piece: n for n, piece in enumerate([*pieces, "<|startoftext|>", "<|endoftext|>"])}
    (folder / "vocab.json").write_text(json.dumps(table))
    lines = ["#version: 0.2", *(" ".join(pair) for pair in MERGES)]
    (folder / "merges.txt").write_text("\n".join(lines), encoding="utf-8")


def test_the_files_of_transformers_say_the_same(tmp_path: Path) -> None:
    files_of_transformers(tmp_path)
    words = clip_words([tmp_path], LONG)
    for text in SENTENCES[:5]:
        clean = " ".join(text.lower().split())
        assert words([text])[0].tolist() == by_hand(clean, LONG.context)


def test_a_tokenizer_of_transformers_says_the_same(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    files_of_transformers(tmp_path)
    theirs = transformers.CLIPTokenizer(
        vocab=str(tmp_path / "vocab.json"), merges=str(tmp_path / "merges.txt")
    )
    folder = tmp_path / "saved"
    theirs.save_pretrained(folder)
    assert (folder / "tokenizer.json").is_file()
    words = clip_words([folder], LONG)
    assert words(["the red chair"])[0].tolist() == by_hand("the red chair", LONG.context)


def test_a_vocabulary_that_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="`polyorama models get clip-vocabulary`"):
        clip_words([tmp_path], TEXT)
    with pytest.raises(UnavailableError, match=r"put its tokenizer\.json beside"):
        siglip_words([tmp_path], SIGLIP.text)


def test_a_vocabulary_of_another_model_is_refused(tmp_path: Path) -> None:
    path = write_vocabulary(tmp_path, MERGES[:-1])
    with pytest.raises(FileFormatError, match="not that of the weights, which know 522 tokens"):
        clip_words([path], TEXT)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bpe_simple_vocab_16e6.txt.gz", b"no gzip"),
        ("bpe_simple_vocab_16e6.txt.gz", gzip.compress(b"#\na b\n", mtime=0)[:-9]),
        ("bpe_simple_vocab_16e6.txt.gz", gzip.compress(b"#\na b c\n", mtime=0)),
        ("bpe_simple_vocab_16e6.txt.gz", gzip.compress(b"#\n\xff\xff a\n", mtime=0)),
        ("bpe_simple_vocab_16e6.txt.gz", gzip.compress(bytes((64 << 20) + 1), mtime=0)),
        ("tokenizer.json", b"{"),
        ("tokenizer.json", b"[]"),
        ("vocab.json", b"{"),
        ("vocab.json", b'{"a": "b"}'),
        ("vocab.json", b'{"a": 1}'),
        ("vocab.json", b""),
    ],
)
def test_damaged_vocabularies_say_so(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "merges.txt").write_text("#version\nt h\n")
    with pytest.raises(FileFormatError) as caught:
        clip_words([tmp_path], TEXT)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def siglip_tokenizer(folder: Path) -> Words:
    from tokenizers import Tokenizer, models, pre_tokenizers

    pieces = ["<pad>", "</s>", "<unk>", "\u2581the", "\u2581red", "\u2581chair", "\u2581a"]
    pieces += [*"thredcai", "\u2581"]
    # Longer pieces are likelier than the letters that they are made of.
    tokenizer = Tokenizer(models.Unigram([(p, -1.0) for p in pieces], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return siglip_words([folder], SIGLIP.text)


def test_siglip_is_filled_up_with_its_end(tmp_path: Path) -> None:
    words = siglip_tokenizer(tmp_path)
    ids = words(["The red, red CHAIR!", "a", "the " * 40])
    assert ids[0].tolist() == [3, 4, 4, 5, 1, 1, 1, 1, 1]
    assert ids[1].tolist() == [6, 1, 1, 1, 1, 1, 1, 1, 1]
    assert ids[2].tolist() == [3] * 8 + [1]
