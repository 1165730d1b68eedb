"""``polyorama lab``: experiments listed, run, swept, replayed, exported, and held to claims."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, Any

from polyorama.cli import Parser
from polyorama.cli.arguments import accept_negative_lists, size

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLES = """\
examples:
  polyorama lab list
  polyorama lab run bandits/log-li --help
  polyorama lab run bandits/log-li --seed 1 --steps 2000 -o run-1
  polyorama lab export run-1 -o regret.png --views regret
  polyorama lab sweep bandits/log-li --seeds 50 -o regret.csv --figure regret.png
  polyorama lab claims bandits/log-li

EXPERIMENT is an id, the part after its slash, or a file of your own: my_walk.py:Walk.
"""

_PARAMETERS = (
    "The parameters of the experiment are options, too; name it before --help to see them."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=_ActionParser
    )
    _add_list(actions)
    _add_run(actions)
    _add_sweep(actions)
    _add_replay(actions)
    _add_export(actions)
    _add_claims(actions)


def run(options: argparse.Namespace) -> int:
    """Do the action."""
    module = importlib.import_module("polyorama.cli.lab_actions")
    return int(getattr(module, f"do_{options.action}")(options) or 0)


class _ActionParser(Parser):
    """Has the parameters of the experiment that is named as options, where `takes_parameters`."""

    takes_parameters = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse's, once the parameters are known."""
        # After an option with a value, the first word may be that value, no experiment.
        if self.takes_parameters and args and not args[0].startswith("-"):
            self._add_parameters(args[0])
        return super().parse_known_args(args, namespace)

    def _add_parameters(self, name: str) -> None:
        from polyorama.lab.catalog import experiment_class

        cls = experiment_class(name)
        group = self.add_argument_group(f"parameters of {cls.title}")
        for parameter in cls.parameters():
            option = "--" + parameter.name.replace("_", "-")
            if option in self._option_string_actions:
                continue  # an option of ours has that name; --set reaches the parameter
            group.add_argument(
                option, dest=f"parameter:{parameter.name}", metavar=_metavar(parameter),
                default=argparse.SUPPRESS, help=_help(parameter),
            )  # fmt: skip


def typed(value: Any) -> str:
    """The value of a parameter as a person would type it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(typed, value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _metavar(parameter: Any) -> str:
    names = {"whole": "N", "number": "X", "flag": "on|off", "vector": "X,Y,..", "color": "R,G,B"}
    return str(names.get(parameter.kind, "WORD"))


def _help(parameter: Any) -> str:
    parts = [parameter.help or parameter.name.replace("_", " ")]
    if parameter.choices:
        parts.append("one of " + ", ".join(parameter.choices))
    unit = f" {parameter.unit}" if parameter.unit else ""
    parts.append(f"default {typed(parameter.default)}{unit}")
    return "; ".join(parts).replace("%", "%%")


def _add_list(actions: Any) -> None:
    text = "say which experiments there are, or what one of them takes"
    parser = actions.add_parser("list", help=text, description=text)
    parser.add_argument("experiment", nargs="?", metavar="EXPERIMENT", help="tell all of this one")


def _add_run(actions: Any) -> None:
    text = "run an experiment, and record it in a folder"
    kept = "Ctrl-C keeps what was recorded; --resume goes on with it."
    parser = actions.add_parser("run", help=text, description=text, epilog=f"{_PARAMETERS} {kept}")
    parser.takes_parameters = True
    accept_negative_lists(parser)
    add = parser.add_argument
    add("experiment", metavar="EXPERIMENT", help="id, or FILE.py:CLASS")
    add("--steps", type=int, metavar="N", help="elementary steps (ten seconds of normal speed)")
    add("--every", type=int, metavar="N", help="steps between snapshots (30 a second)")
    add("-o", "--output", metavar="FOLDER", help="record it there")
    add("--resume", action="store_true", help="go on with the run in FOLDER, to --steps in all")
    add("--seed", type=int, metavar="N", help="of all luck (0)")
    _add_what(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--rivals", metavar="A,B", help="ids of the methods that take part")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter")
    add("--paint", action="append", default=[], metavar="CANVAS=PICTURE",
        help="paint a canvas with a picture: black is its lowest value")  # fmt: skip


def _add_sweep(actions: Any) -> None:
    text = "run an experiment with many seeds: means and confidence bands"
    parser = actions.add_parser("sweep", help=text, description=text, epilog=_PARAMETERS)
    parser.takes_parameters = True
    accept_negative_lists(parser)
    add = parser.add_argument
    add("experiment", metavar="EXPERIMENT", help="id, or FILE.py:CLASS")
    add("--seeds", type=int, default=20, metavar="N", help="how many (20)")
    add("--first-seed", type=int, default=0, metavar="N", help="the first of them (0)")
    add("--over", metavar="NAME=A,B,C", help="values of one parameter, each with all seeds")
    add("--steps", type=int, metavar="N", help="elementary steps (ten seconds of normal speed)")
    add("--every", type=int, metavar="N", help="steps between looks (a hundred looks)")
    add("--level", type=float, default=0.95, metavar="P", help="of the confidence bands (0.95)")
    add("--processes", type=int, metavar="N", help="how many at once (one a core)")
    add("-o", "--output", metavar="FILE.csv", help="all means and bands")
    add("--figure", metavar="FILE.png", help="a picture of them, .png or .svg")
    add("--columns", metavar="A,B", help="scalars of the picture")
    add("--log", action="store_true", help="with logarithmic axes")
    add("--theme", choices=("dark", "light"), default="dark", help="of the picture (dark)")
    add("--size", type=size, metavar="WxH", help="of the picture (1280x720)")
    _add_what(parser)


def _add_replay(actions: Any) -> None:
    text = "say what a recorded run holds, without computing it"
    parser = actions.add_parser("replay", help=text, description=text)
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="of the run")
    add("--at", type=int, metavar="STEP", help="the values at this step (the last)")
    add("--check", action="store_true", help="compute it again and compare every snapshot")
    _add_source(parser)


def _add_export(actions: Any) -> None:
    text = "write a recorded run as table, figure, film or script"
    parser = actions.add_parser(
        "export", help=text, description=text,
        epilog=".csv and .parquet hold all scalars, .png and .svg the views at one step, .mp4 a "
        "film with one frame a snapshot, .py a script that runs it again.",
    )  # fmt: skip
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="of the run")
    add("-o", "--output", metavar="FILE", required=True, action="append",
        help="may be given more than once")  # fmt: skip
    add("--at", type=int, metavar="STEP", help="of figures (the last)")
    add("--views", metavar="A,B", help="ids of the views (all)")
    add("--size", type=size, metavar="WxH", help="in pixels (1280x720)")
    add("--theme", choices=("dark", "light"), default="dark", help="of figures and films (dark)")
    add("--fps", type=float, default=30.0, metavar="N", help="frames a second of films (30)")
    add("--from", dest="first", type=int, metavar="STEP", help="where films begin")
    add("--to", dest="last", type=int, metavar="STEP", help="where films end")
    _add_source(parser)


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source", metavar="FILE.py:CLASS", help="where its experiment lies, if it is no plug-in"
    )


def _add_claims(actions: Any) -> None:
    text = "measure what papers claim, here and now, beside what is accepted"
    parser = actions.add_parser(
        "claims", help=text, description=text,
        epilog="Exits with 0 where all claims hold or fail as our reference says, else with 1.",
    )  # fmt: skip
    add = parser.add_argument
    add("experiment", nargs="*", metavar="EXPERIMENT", help="of these alone (all)")
    add("--study", action="store_true", help="those, too, that take more than half a minute")
    add("--json", metavar="FILE", help="write them there, too")
