"""What the actions of ``polyorama lab`` do; imported only when one of them is done."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.cli.lab import typed
from polyorama.cli.progress import show
from polyorama.cli.stopping import stoppable
from polyorama.core.params import checked, parameter_of
from polyorama.core.text import count_of, one_line
from polyorama.errors import OutputError, UnavailableError, UsageError
from polyorama.io.atomic import check_target
from polyorama.lab import catalog

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from polyorama.core.jobs import Job
    from polyorama.core.params import Parameter
    from polyorama.lab.claims import Figure
    from polyorama.lab.experiment import Experiment
    from polyorama.lab.recording import Recording
    from polyorama.lab.sweep import Sweep
    from polyorama.verbs.claims import Outcome

__all__ = ["do_claims", "do_export", "do_list", "do_replay", "do_run", "do_sweep"]

_WORDS = {"on": True, "off": False, "true": True, "false": False, "yes": True, "no": False}
_WIDTH = 96


def do_list(options: argparse.Namespace) -> int:
    """Say which experiments there are, or all of one."""
    if options.experiment:
        _tell(catalog.experiment_class(options.experiment))
        return 0
    ids = catalog.experiment_ids()
    wide = max(map(len, ids), default=0)
    room = ""
    for name in ids:
        if name.partition("/")[0] != room:
            room = name.partition("/")[0]
            print(f"\n{room}" if name != ids[0] else room)
        try:
            title, summary = catalog.described(name)
        except UnavailableError as error:  # the others are listed all the same
            title, summary = "not available", str(error)
        print(f"  {name:<{wide}}  {one_line(title)}")
        print(_filled(summary, wide + 4))
    if not ids:
        print("There are no experiments here.")
    return 0


def _filled(text: str, indent: int) -> str:
    edge = " " * indent
    return textwrap.fill(one_line(text), _WIDTH, initial_indent=edge, subsequent_indent=edge)


def _tell(cls: type[Experiment]) -> None:
    print(f"{cls.id}: {one_line(cls.title)}")
    print(_filled(cls.summary, 2))
    if cls.paper is not None:
        paper = cls.paper
        print(_filled(f"{paper.authors}: {paper.title}. {paper.venue}. {paper.link}".strip(), 2))
    if cls.caveat:
        print(_filled(cls.caveat, 2))
    parameters = cls.parameters()
    if parameters:
        print("\nparameters")
    for parameter in parameters:
        print(f"  {parameter.name:<20} {_kind(parameter)}")
        if parameter.help:
            print(_filled(parameter.help, 23))
    _table("methods that can take part", [(r.id, r.title, r.help) for r in cls.rivals])
    shapes = [(c.name, c.title, f"{c.shape[1]}x{c.shape[0]} cells") for c in cls.canvases]
    _table("canvases", shapes)
    _table("presets", [(p.title, "", p.help) for p in cls.presets])
    _table("claims", [(c.id, "", c.text) for c in cls.claims()])


def _kind(parameter: Parameter) -> str:
    parts = [typed(parameter.default)]
    if parameter.unit:
        parts[0] += f" {parameter.unit}"
    if parameter.choices:
        parts.append("one of " + ", ".join(parameter.choices))
    if math.isfinite(parameter.low) or math.isfinite(parameter.high):
        parts.append(f"{parameter.low:g} to {parameter.high:g}")
    if parameter.live:
        parts.append("can change while it runs")
    return "; ".join(parts)


def _table(title: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if not rows:
        return
    print(f"\n{title}")
    for name, what, text in rows:
        print(f"  {name:<20} {what}".rstrip())
        if text:
            print(_filled(text, 23))


def do_run(options: argparse.Namespace) -> int:
    """Run, or go on with, an experiment."""
    from polyorama.lab.record import holds_run
    from polyorama.verbs.lab import resume_job, run_job

    job: Job[Recording]
    if options.resume:
        if not options.output:
            raise UsageError("Say which run goes on with -o FOLDER.")
        kind = catalog.experiment_class(options.experiment)
        begun = options.seed is not None or options.rivals is not None or options.paint
        if begun or _values(options, kind):
            raise UsageError(
                "A run goes on with what it began with; leave out its seed, parameters, rivals and "
                "paintings with --resume."
            )
        job = resume_job(options.output, steps=options.steps, every=options.every, kind=kind)
    else:
        subject = _made(options)
        job = run_job(
            subject, seed=options.seed or 0, steps=options.steps, every=options.every,
            folder=options.output,
        )  # fmt: skip
    try:
        done = show(stoppable(job))
    except KeyboardInterrupt:
        if not options.output or not holds_run(options.output):
            raise
        print(
            f"polyorama: stopped; run it again with --resume to go on: {options.output}",
            file=sys.stderr,
        )
        return 130
    _say(done, done.length - 1)
    if options.output:
        count = count_of(done.length, "snapshot")
        print(f"Recorded {count}: {one_line(options.output)}", file=sys.stderr)
    return 0


def _made(options: argparse.Namespace) -> Experiment:
    from polyorama.lab.making import made
    from polyorama.verbs.lab import painting_of

    cls = catalog.experiment_class(options.experiment)
    paintings = {}
    for text in options.paint:
        name, path = _pair(text, "--paint", "reward=picture.png")
        paintings[name] = painting_of(cls.canvas(name), path)
    rivals = None if options.rivals is None else tuple(_words(options.rivals))
    return made(options.experiment, _values(options, cls), rivals, paintings)


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _values(options: argparse.Namespace, cls: type[Experiment]) -> dict[str, Any]:
    """The parameters that flags and ``--set`` name."""
    found: dict[str, Any] = {}
    for key, text in vars(options).items():
        name = key.removeprefix("parameter:")
        if name != key:
            found[name] = value_of(parameter_of(cls.Params, name), text)
    for text in options.set:
        name, value = _pair(text, "--set", "horizon=1000")
        found[name] = value_of(parameter_of(cls.Params, name), value)
    return found


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} takes a name and a value, as in {option} {example}.")
    return name.strip().replace("-", "_"), value


def value_of(parameter: Parameter, text: str) -> Any:
    """The value of a parameter that a text means.

    Raises
    ------
    UsageError
        If it means none.
    """
    value: Any = text.strip()
    if parameter.kind == "flag":
        value = _WORDS.get(value.lower(), value)
    elif parameter.kind in ("vector", "color"):
        with contextlib.suppress(ValueError):
            value = tuple(float(word) for word in value.strip("[]()").split(","))
    elif parameter.kind != "choice":
        try:
            # As JSON first: a whole number may have more digits than a float.
            value = json.loads(value)
        except (ValueError, RecursionError):
            with contextlib.suppress(ValueError):
                value = float(value)
    return checked(parameter, value)


def _say(recording: Recording, index: int) -> None:
    """The scalars of a snapshot, and its note."""
    rows = recording.rows
    cells = rows.scalars.row(index)
    wide = max(map(len, cells))
    for name, value in cells.items():
        shown = f"{value:,.0f}" if name == "step" else f"{value:.6g}"
        print(f"{one_line(name):<{wide}}  {shown}")
    if note := rows.note(index):
        print(one_line(note))


def do_sweep(options: argparse.Namespace) -> int:
    """Run many seeds, and say what came of it."""
    from polyorama.lab.recording import params_of
    from polyorama.lab.sweep import sweep_job
    from polyorama.verbs.lab import usual_steps

    _check_endings(options.output, (".csv",))
    _check_endings(options.figure, (".png", ".svg"))
    cls = catalog.experiment_class(options.experiment)
    subject = _made(options)
    parameter, values = "", tuple[Any, ...]()
    if options.over:
        parameter, text = _pair(options.over, "--over", "horizon=100,1000")
        known = parameter_of(cls.Params, parameter)
        values = tuple(value_of(known, word) for word in _words(text))
    seeds: Any = options.seeds
    if options.first_seed and seeds > 0:
        seeds = range(options.first_seed, options.first_seed + seeds)
    job = sweep_job(
        options.experiment, seeds=seeds,
        steps=usual_steps(cls) if options.steps is None else options.steps,
        every=options.every, parameter=parameter, values=values,
        params=params_of(subject), rivals=subject.active, paintings=subject.paintings,
        level=options.level, processes=options.processes,
    )  # fmt: skip
    found = show(job)
    _say_sweep(found)
    if options.output:
        found.write_csv(options.output)
        print(f"Wrote {one_line(options.output)}", file=sys.stderr)
    if options.figure:
        _draw_sweep(found, subject, options)
    for failure in found.failures:
        what = f"{found.name} {typed(failure.value)}, " if found.name else ""
        print(f"polyorama: {what}seed {failure.seed} failed: {failure.text}", file=sys.stderr)
    return 1 if found.failures else 0


def _check_endings(target: str | None, endings: tuple[str, ...]) -> None:
    """Refuse before the work what could not be written after it."""
    if target is None:
        return
    if Path(target).suffix.lower() not in endings:
        raise OutputError(f"This is written as {' or '.join(endings)}: {target}")
    check_target(target)


def _draw_sweep(found: Sweep, subject: Experiment, options: argparse.Namespace) -> None:
    from polyorama.lab.exporting import save_figure
    from polyorama.lab.figure_page import FIGURE_SIZE
    from polyorama.lab.sweep_figure import sweep_figure

    figure = sweep_figure(
        found, subject, _words(options.columns), size=options.size or FIGURE_SIZE,
        theme=options.theme, log=options.log,
    )  # fmt: skip
    save_figure(figure, options.figure, f"{subject.id}, {found.seeds} seeds")
    print(f"Wrote {one_line(options.figure)}", file=sys.stderr)


def _say_sweep(found: Sweep) -> None:
    """A line a value and scalar: the mean at the last step that runs reached, and its band."""
    head = f"{100 * found.level:g} % confidence"
    wide = max(map(len, (*found.columns, "scalar")))
    first = max([len(typed(value)) for value in found.values] + [len(found.name)])
    lead = f"{found.name:<{first}}  " if found.name else ""
    print(f"{lead}{'scalar':<{wide}}  {'step':>10}  {'mean':>12}  {head:>27}  {'runs':>6}")
    for v, value in enumerate(found.values):
        for c, column in enumerate(found.columns):
            filled = found.count[v, c].nonzero()[0]
            if not len(filled):
                continue
            at = int(filled[-1])
            mean, half = found.mean[v, c, at], found.half[v, c, at]
            band = "one run" if math.isnan(half) else f"{mean - half:.6g} to {mean + half:.6g}"
            lead = f"{typed(value):<{first}}  " if found.name else ""
            print(
                f"{lead}{one_line(column):<{wide}}  {found.steps[at]:>10,}  {mean:>12.6g}  "
                f"{band:>27}  {found.count[v, c, at]:>6,}"
            )


def do_replay(options: argparse.Namespace) -> int:
    """Say what a run holds, and perhaps whether it repeats."""
    from polyorama.verbs.lab import check_run_job, open_run

    if options.source:
        catalog.experiment_class(options.source)
    record = open_run(options.folder)
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    print(f"{one_line(record.title)} ({one_line(record.experiment_id)}), seed {record.seed}")
    values = ", ".join(f"{name} {typed(value)}" for name, value in record.params.items())
    if values:
        print(_filled(values, 2))
    if record.rivals:
        print(_filled("methods " + ", ".join(record.rivals), 2))
    print(_filled(f"made with {versions}", 2))
    end = ", to its end" if record.done else ""
    last = int(record.steps[-1])
    print(f"  {count_of(record.length, 'snapshot')} over {count_of(last, 'step')}{end}")
    for change in record.changes:
        shown = "painted" if isinstance(change.value, np.ndarray) else typed(change.value)
        print(f"  changed at step {change.step:,}: {one_line(f'{change.name} {shown}')}")
    print()
    _say(record, record.length - 1 if options.at is None else record.index_at(options.at))
    if options.check:
        show(check_run_job(options.folder))
        print("\nRun again, every snapshot is the same, bit for bit.")
    return 0


def do_export(options: argparse.Namespace) -> int:
    """Write a run as files."""
    from polyorama.lab.exporting import ENDINGS, export
    from polyorama.lab.figure_page import FIGURE_SIZE
    from polyorama.verbs.lab import open_run

    if options.source:
        catalog.experiment_class(options.source)
    record = open_run(options.folder)
    looks = {"views": _words(options.views), "size": options.size or FIGURE_SIZE,
             "theme": options.theme}  # fmt: skip
    for target in options.output:
        _check_endings(target, tuple(ENDINGS))
    for target in options.output:
        ending = Path(target).suffix.lower()
        extra: dict[str, Any] = {}
        if ending in (".png", ".svg"):
            at = record.length - 1 if options.at is None else record.index_at(options.at)
            extra = {**looks, "index": at}
        elif ending == ".mp4":
            first = 0 if options.first is None else record.index_at(options.first)
            stop = None if options.last is None else record.index_at(options.last) + 1
            extra = {**looks, "fps": options.fps, "first": first, "stop": stop}
        show(export(record, target, **extra))
        print(f"Wrote {one_line(target)}", file=sys.stderr)
    return 0


def do_claims(options: argparse.Namespace) -> int:
    """Measure claims, and say what came of them."""
    from polyorama.verbs.claims import claims_job, write_claims

    _check_endings(options.json, (".json",))
    outcomes = show(claims_job(options.experiment, study=options.study))
    _say_claims(outcomes)
    if options.json:
        write_claims(outcomes, options.json)
        print(f"Wrote {one_line(options.json)}", file=sys.stderr)
    return 0 if all(outcome.as_expected for outcome in outcomes) else 1


def _say_claims(outcomes: Iterable[Outcome]) -> None:
    counts: dict[str, int] = {}
    experiment = ""
    for outcome in outcomes:
        counts[outcome.verdict] = counts.get(outcome.verdict, 0) + 1
        if outcome.experiment != experiment:
            experiment = outcome.experiment
            print(experiment)
        took = f" ({outcome.seconds:.1f} s)" if outcome.figures else ""
        print(f"  {outcome.claim.id}: {outcome.verdict}{took}")
        print(_filled(outcome.claim.text, 4))
        if outcome.claim.shown_false:
            print(_filled(f"Shown false: {outcome.claim.shown_false}", 4))
        if outcome.error:
            print(_filled(outcome.error, 4))
        _say_figures(outcome.figures)
    print()
    several = {"holds": "hold", "fails": "fail"}
    tally = (
        f"{count} {verdict if count == 1 else several.get(verdict, verdict)}"
        for verdict, count in counts.items()
    )
    print(", ".join(tally) or "No claims here.")


def _say_figures(figures: Sequence[Figure]) -> None:
    """A line a figure in columns, and below it what it is compared with."""
    names = [one_line(figure.name) for figure in figures]
    wide = max([40, *map(len, names)])
    units = max([5, *(len(figure.unit) for figure in figures)])
    for name, figure in zip(names, figures, strict=True):
        state = "holds" if figure.holds else "fails"
        print(
            f"    {name:<{wide}} {figure.value:>11.5g} {figure.unit:<{units}} "
            f"accepted {_accepted(figure.low, figure.high):<20} {state}"
        )
        if figure.reference:
            print(_filled(f"reference: {figure.reference}", 6))


def _accepted(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if math.isinf(high):
        return f"at least {low:.5g}"
    return f"at most {high:.5g}" if math.isinf(low) else f"{low:.5g} to {high:.5g}"
