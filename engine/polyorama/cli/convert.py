"""``polyorama convert``: change formats, merge, move, clean, thin out."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from polyorama.cli.arguments import accept_negative_lists, vector
from polyorama.core.text import bytes_of, count_of, one_line
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.edit.actions import Action

_EXAMPLES = """\
examples:
  polyorama convert plant.ply plant.spz
  polyorama convert scan.ply clean.ply --repair --floaters --where "opacity < 0.05"
  polyorama convert scan.ply small.sog --crop-sphere 0,0,0,2 --decimate 25% --morton
  polyorama convert show.poly chair.glb show.spz
  polyorama convert table.ply lamp.splat room.ply --rotate 0,90,0 --translate 1,0,-0.5

Of a project (.poly) all that is visible is taken, meshes become surfels. A project as output keeps
its inputs as nodes; with steps, it has one node.
Steps are carried out in the order in which they are written, and may be repeated; several inputs
are joined first. Rules know x y z, position, scale, color, opacity, hue, saturation, value, volume,
area, ratio, needle, index and extra columns; min max mean sum length abs sqrt log exp dist finite;
and or not, < <= == != >= >, + - * / **, and ranges as in "hue in 80..140". A vector has parts, as
in scale.x and color.r. PLY and .splat files of any size go through in pieces, unless a step needs
all splats at once (--morton, --decimate, --floaters).
"""


class _Step(argparse.Action):
    """Appends a step to ``options.steps``, so that steps of all kinds keep their order."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        steps = getattr(namespace, "steps", None) or []
        namespace.steps = [*steps, (self.dest, values, option_string)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    accept_negative_lists(parser)
    # And "-y" is a direction, not an option.
    parser._negative_number_matcher = re.compile(r"^-(?:(?:\d|\.\d)[\d.,:eE+-]*|[xyz])$")
    _accept_files_between_steps(parser)
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "polyorama convert IN [IN ...] [steps] OUT [options]"
    parser.set_defaults(steps=[])
    parser.add_argument("files", nargs="+", metavar="FILE", help="inputs, then the output")

    group = parser.add_argument_group("steps, in order")

    def step(name: str, help: str, **more: Any) -> None:
        # The steps' own names never become attributes with values.
        group.add_argument(name, action=_Step, help=help, default=argparse.SUPPRESS, **more)

    step("--translate", "move, world units", type=vector, metavar="X,Y,Z")
    step("--rotate", "turn about x, then y, then z, degrees", type=vector, metavar="X,Y,Z")
    step("--scale", "scale about the origin", type=_factors, metavar="S|X,Y,Z")
    step("--flip", "negate axes: y mirrors, yz is a half turn", metavar="AXES")
    step("--up-to", "turn so that up becomes this axis: y, -y, z, ...", metavar="AXIS")
    step("--sh-degree", "0 to 3: drop or pad harmonics", type=int, metavar="N")
    step("--where", "drop the splats for which a rule holds", metavar="RULE")
    step("--keep-where", "keep only the splats for which a rule holds", metavar="RULE")
    step("--crop-box", "keep what is inside a box; _ leaves a side open",
         type=_box, metavar="X,Y,Z,X,Y,Z")  # fmt: skip
    step("--crop-sphere", "keep what is inside a sphere", type=_sphere, metavar="X,Y,Z,R")
    step("--cut-box", "keep what is outside a box", type=_box, metavar="X,Y,Z,X,Y,Z")
    step("--cut-sphere", "keep what is outside a sphere", type=_sphere, metavar="X,Y,Z,R")
    step(
        "--repair",
        "drop NaN, undo wrong columns: whatever `polyorama info` advises it for",
        nargs=0,
    )
    step("--floaters", "remove what hangs loose", nargs=0)
    step("--floaters-with", "the same with SETTINGS, see above", metavar="SETTINGS")
    step("--decimate", "merge splats until N, or N%% of them, are left", metavar="N|N%")
    step("--morton", "sort so that neighbours lie together", nargs=0)
    group.description = """\
SETTINGS are some of reach=3,opacity=0.1,share=0.02: how many standard deviations bridge a gap,
how opaque a splat must be to hold others, and the smallest cluster kept, as a share of the
largest.
"""

    group = parser.add_argument_group("output")
    group.add_argument(
        "--spz-version", type=int, choices=(3, 4), metavar="3|4",
        help="of an .spz output (default 4; 3 for older viewers)",
    )  # fmt: skip
    group.add_argument(
        "--surfels", type=int, default=100_000, metavar="N",
        help="Gaussians for each mesh (default 100000)",
    )  # fmt: skip
    group.add_argument(
        "--no-overwrite", action="store_true", help="stop if the output exists already"
    )
    group.add_argument("--quiet", action="store_true", help="say nothing when all went well")


def _accept_files_between_steps(parser: argparse.ArgumentParser) -> None:
    """Let the output stand last, after the steps, or anywhere: IN --where RULE OUT."""
    plain = parser.parse_known_args

    def intermixed(args: Any = None, namespace: Any = None) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        if "--" in words:
            # The library loses it here. All after it are files; with a folder none looks like an
            # option.
            at = words.index("--")
            words[at:] = [os.path.join(".", w) if w.startswith("-") else w for w in words[at + 1 :]]
        setattr(parser, "parse_known_args", plain)  # noqa: B010 - a method cannot be assigned to
        return parser.parse_known_intermixed_args(words, namespace)

    setattr(parser, "parse_known_args", intermixed)  # noqa: B010


def run(options: argparse.Namespace) -> int:
    """Carry out the steps and write the file."""
    from polyorama.cli.progress import show
    from polyorama.verbs.convert import convert_job

    if len(options.files) < 2:
        raise UsageError(f"Where shall it go? Name an output file after {options.files[0]}.")
    *inputs, output = options.files
    job = convert_job(
        inputs,
        output,
        actions_of(options.steps),
        overwrite=not options.no_overwrite,
        spz_version=options.spz_version,
        surfels=options.surfels,
    )
    done = show(job)
    if not options.quiet:
        count = count_of(done.written, "splat")
        if done.read != done.written:
            count = f"{done.read:,} to {count}"
        sizes = f"{bytes_of(done.bytes_read)} to {bytes_of(done.bytes_written)}"
        print(f"{count}, {sizes}: {one_line(str(done.output))}", file=sys.stderr)
    return 0


def actions_of(steps: Sequence[tuple[str, Any, str]]) -> list[Action]:
    """The actions that the steps of a command line mean."""
    return [_MAKERS[name](value) for name, value, _option in steps]


def _factors(text: str) -> tuple[float, ...]:
    if "," in text:
        return vector(text)
    try:
        return (float(text),)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither one factor nor three, as in 2 or 1,1,0.5"
        ) from None


def _box(text: str) -> tuple[float, ...]:
    words = text.split(",")
    inf = float("inf")
    try:
        values = [
            (-inf if at < 3 else inf) if word.strip() in ("", "_") else float(word)
            for at, word in enumerate(words)
        ]
    except ValueError:
        values = []
    if len(values) != 6 or any(value != value for value in values):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no box: low x,y,z then high x,y,z, as in -1,-1,-1,1,1,1"
        )
    return tuple(values)


def _sphere(text: str) -> tuple[float, ...]:
    try:
        x, y, z, radius = (float(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no sphere: centre x,y,z then radius, as in 0,0,0,1.5"
        ) from None
    return (x, y, z, radius)


def _floaters(text: str) -> Action:
    from polyorama.edit.actions import Floaters

    settings: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in ("reach", "opacity", "share"):
            raise UsageError(
                f"--floaters-with knows reach, opacity and share, not {name.strip()!r}."
            )
        try:
            settings[name.strip()] = float(value)
        except ValueError:
            raise UsageError(
                f"--floaters-with takes numbers, as in reach=3, not {part!r}."
            ) from None
    return Floaters(**settings)


def _transform(make: str) -> Callable[[Any], Action]:
    def action(value: Any) -> Action:
        from polyorama.edit import splat_ops
        from polyorama.edit.actions import Transform

        return Transform(getattr(splat_ops, make)(value))

    return action


def _up_to(text: str) -> Action:
    from polyorama.edit.actions import UpTo

    axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    word = text.strip().lower()
    axis = axes.get(word.lstrip("+-"))
    if axis is None or len(word) > 2:
        raise UsageError(f"Up is one of x, y, z, -x, -y and -z, not {text!r}.")
    sign = -1.0 if word.startswith("-") else 1.0
    return UpTo((sign * axis[0], sign * axis[1], sign * axis[2]))


def _where(keep: bool) -> Callable[[str], Action]:
    def action(text: str) -> Action:
        from polyorama.edit.actions import DropWhere
        from polyorama.scene.rules import parse_rule

        return DropWhere(parse_rule(text), keep=keep)

    return action


def _crop_box(outside: bool) -> Callable[[tuple[float, ...]], Action]:
    def action(box: tuple[float, ...]) -> Action:
        from polyorama.edit.actions import CropBox

        x0, y0, z0, x1, y1, z1 = box
        return CropBox((x0, y0, z0), (x1, y1, z1), outside)

    return action


def _crop_sphere(outside: bool) -> Callable[[tuple[float, ...]], Action]:
    def action(sphere: tuple[float, ...]) -> Action:
        from polyorama.edit.actions import CropSphere

        x, y, z, radius = sphere
        return CropSphere((x, y, z), radius, outside)

    return action


def _named(name: str, *, takes_value: bool = False) -> Callable[[Any], Action]:
    def action(value: Any) -> Action:
        from polyorama.edit import actions

        made: Action = getattr(actions, name)(*([value] if takes_value else []))
        return made

    return action


def _decimate(text: str) -> Action:
    from polyorama.edit.actions import Count, Decimate

    return Decimate(Count.parse(text))


_MAKERS: dict[str, Callable[[Any], Action]] = {
    "translate": _transform("translation_matrix"),
    "rotate": _transform("rotation_matrix"),
    "scale": _transform("scale_matrix"),
    "flip": _transform("flip_matrix"),
    "up_to": _up_to,
    "sh_degree": _named("SetDegree", takes_value=True),
    "where": _where(keep=False),
    "keep_where": _where(keep=True),
    "crop_box": _crop_box(outside=False),
    "cut_box": _crop_box(outside=True),
    "crop_sphere": _crop_sphere(outside=False),
    "cut_sphere": _crop_sphere(outside=True),
    "repair": _named("Repair"),
    "floaters": _named("Floaters"),
    "floaters_with": _floaters,
    "decimate": _decimate,
    "morton": _named("Morton"),
}
