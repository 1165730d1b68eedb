"""``polyorama edit``: open files, run scripts on them, write the result."""

from __future__ import annotations

import argparse
import sys

from polyorama.cli.arguments import moment
from polyorama.errors import UsageError

_EXAMPLES = """\
examples:
  polyorama edit plant.ply --script ops.json -o plant.poly
  polyorama edit show.poly lamp.glb --script dress.py -o show.poly
  polyorama edit show.poly --time 2.5 -o frozen.spz

A .json script is a list of operations, as the studio records them or written by hand, such as
  [{"op": "select", "args": {"query": "opacity < 0.1"}}, {"op": "delete"}]
It can do nothing else. A .py script is your own Python and can do all that Python can: it is run
with the editor as doc and the package as po. Several scripts are run one after the other.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="projects, captures, meshes and sounds"
    )
    parser.add_argument(
        "--script", action="append", default=[], metavar="OPS", help="what to do: .json or .py"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT",
        help="a project (.poly), or a capture of what is drawn (.ply, .spz, .sog, ...)",
    )  # fmt: skip
    parser.add_argument(
        "--time", type=moment, default=0.0, metavar="S",
        help="for a capture: where on the timeline, seconds (default 0)",
    )  # fmt: skip
    parser.add_argument(
        "--linked", action="store_true",
        help="a project keeps the paths of captures, meshes and sounds, not what is in them",
    )  # fmt: skip
    parser.add_argument(
        "--surfels", type=int, default=100_000, metavar="N",
        help="Gaussians for each mesh (default 100000)",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="say nothing when all went well")


def run(options: argparse.Namespace) -> int:
    """Open, edit, write."""
    from polyorama.cli.progress import show
    from polyorama.core.text import count_of, one_line
    from polyorama.io.atomic import check_target
    from polyorama.io.formats import PROJECT_ENDING, format_to_write
    from polyorama.verbs.editing import edit, run_script, save

    check_target(options.output)
    project = options.output.lower().endswith(PROJECT_ENDING)
    if not project:
        format_to_write(options.output)
    elif options.time:
        raise UsageError("A project holds all times; leave --time out.")
    if options.linked and not project:
        raise UsageError("Only a project (.poly) can keep paths; leave --linked out.")
    editor = edit(*options.files, surfels=options.surfels, linked=options.linked)
    for script in options.script:
        show(run_script(editor, script))
    save(editor, options.output, time=options.time)
    if not options.quiet:
        steps = count_of(len(editor.done), "step")
        nodes = count_of(len(editor.document.nodes), "node")
        print(f"{steps}, {nodes}: {one_line(options.output)}", file=sys.stderr)
    return 0
