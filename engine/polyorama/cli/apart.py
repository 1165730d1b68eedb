"""Actions of a subcommand: those in one module, and those with modules of their own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

__all__ = ["Apart", "add_apart", "run_action"]

Apart = dict[str, tuple[str, str]]
"""Name of an action to its module, which has add_arguments and run, and a line of help."""


def add_apart(actions: Any, apart: Mapping[str, tuple[str, str]]) -> None:
    """Declare actions that have modules of their own."""
    for name, (module, text) in apart.items():
        parser = actions.add_parser(name, help=text, description=text)
        importlib.import_module(module).add_arguments(parser)


def run_action(
    options: argparse.Namespace, apart: Mapping[str, tuple[str, str]], others: str
) -> int:
    """Do the action that was asked for; what is not apart is ``do_<action>`` of module `others`."""
    if options.action in apart:
        return int(importlib.import_module(apart[options.action][0]).run(options) or 0)
    module = importlib.import_module(others)
    return int(getattr(module, f"do_{options.action}")(options) or 0)
