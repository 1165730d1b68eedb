"""``polyorama shapes``: models indexed, searched, grouped, counted."""

from __future__ import annotations

import argparse
from typing import Any

from polyorama.cli.apart import Apart, add_apart, run_action

_EXAMPLES = """\
examples:
  polyorama shapes index ~/models ~/captures
  polyorama shapes search "wooden chair" --filter "polys < 5000 and licence = CC0"
  polyorama shapes search --image photo.jpg --limit 5
  polyorama shapes search "red" --like chair.glb --without armrests
  polyorama shapes dups

The library lies in --library, else where the variable POLYORAMA_LIBRARY says, else in your own
data folder. Models stay where they are; only what is known of them is kept.
"""

_FILTERS = """\
filters:
  polys, splats and size compare with <, <=, =, !=, >=, > (size > 1.5 MB, polys < 5k); format, kind,
  licence, folder and tag with = and !=; all with in and not in (format in glb, gltf). Join them
  with and, or, not and parentheses: "(tag = wood or folder = chairs) and not licence = unknown".
  A licence is what a LICENSE file or a manifest.json beside the models says.

answers:
  The score is how alike looks are, 1 at most, and more where names and tags hold the words too
  (--no-names leaves that out); it compares results of one search alone, and there is always a
  nearest. The view is the one of twelve that fits best: 1 is the thumbnail's.
"""

_APART: Apart = {
    "train": ("polyorama.cli.shapes_train", "fine-tune a model on a folder of captioned models"),
    "eval": ("polyorama.cli.shapes_eval", "measure how well models never seen are found"),
}
"""Actions with modules of their own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_index(actions)
    _add_search(actions)
    _add_rest(actions)
    add_apart(actions, _APART)


def run(options: argparse.Namespace) -> int:
    """Do the action."""
    return run_action(options, _APART, "polyorama.cli.shapes_actions")


def _library(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--library", metavar="DIR", help="where the library lies")
    parser.add_argument(
        "--model", metavar="PATH|ID",
        help="what compares: weights of CLIP, Duoduo CLIP or SigLIP (the net that comes along)",
    )  # fmt: skip


def _add_index(actions: Any) -> None:
    text = "watch folders and index what is new or changed in them"
    parser = actions.add_parser(
        "index", help=text, description=text,
        epilog="Files that could not be indexed are listed with the reason. The status is 0 where "
        "anything can be found now, 2 where nothing can.",
    )  # fmt: skip
    add = parser.add_argument
    add("folders", nargs="*", metavar="FOLDER", help="those that are watched already, if none")
    add("--retry", action="store_true", help="look again at files that failed before")
    add("--json", action="store_true", help="print JSON, for scripts")
    _library(parser)


def _add_search(actions: Any) -> None:
    text = "find models by words, pictures and other models"
    parser = actions.add_parser(
        "search", help=text, description=text, epilog=_FILTERS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("words", nargs="*", metavar="WORDS", help="what is sought")
    add("--image", nargs="+", action="extend", default=[], metavar="FILE", help="pictures of it")
    add("--like", nargs="+", action="extend", default=[], metavar="FILE",
        help="models that it resembles")  # fmt: skip
    add("--without", default="", metavar="WORDS", help="what it is not like")
    add("--filter", dest="filters", default="", metavar="F", help="conditions; see below")
    add("--collection", default="", metavar="NAME", help="in this collection alone")
    add("--limit", type=int, default=20, metavar="N", help="how many at most (20)")
    add("--no-names", action="store_true", help="compare looks alone, not names and tags")
    add("--json", action="store_true", help="print JSON, for scripts")
    add("--sheet", metavar="FILE", help="write the results as one picture, too")
    _library(parser)


def _add_rest(actions: Any) -> None:
    text = "group models that are the same thing once more; colour variants are not"
    parser = actions.add_parser("dups", help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    _library(parser)
    text = "say what is in the library"
    parser = actions.add_parser("stats", help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    parser.add_argument("--check", action="store_true", help="read all of it and look for damage")
    _library(parser)
    text = "list the watched folders, or watch one no more"
    parser = actions.add_parser("folders", help=text, description=text)
    parser.add_argument("--remove", metavar="FOLDER", help="forget it; its files stay")
    _library(parser)
