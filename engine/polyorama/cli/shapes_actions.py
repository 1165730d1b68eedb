"""What the actions of ``polyorama shapes`` do; imported only when one of them is done."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from polyorama.cli.progress import show
from polyorama.core.text import bytes_of, count_of, one_line
from polyorama.io.image import write_image
from polyorama.shapes.library.asking import make_query
from polyorama.verbs.shapes import library as open_library
from polyorama.verbs.shapes import matches_of
from polyorama.verbs.shapes_sheet import contact_sheet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from polyorama.shapes.library.asset import Asset, Failure, IndexReport
    from polyorama.shapes.library.library import Library
    from polyorama.verbs.shapes import Match

__all__ = ["do_dups", "do_folders", "do_index", "do_search", "do_stats"]

_LEAST_COLUMNS = 60


def do_index(options: argparse.Namespace) -> int:
    """Index folders and say what became of them; 2 where nothing can be found now."""
    with _opened(options) as library:
        report = show(library.index_job(options.folders, retry=options.retry))
        known = library.failures()
    if options.json:
        print(json.dumps(_report_json(report, known), indent=2))
    else:
        print(_report_text(report))
        _print_failures(report.failures)
    return 0 if report.indexed else 2


def do_search(options: argparse.Namespace) -> int:
    """Print what was found, best first."""
    with _opened(options) as library:
        query = make_query(
            library, " ".join(options.words), without=options.without, images=options.image,
            like=options.like, filters=options.filters, collection=options.collection,
        )  # fmt: skip
        hits = library.search(query, options.limit, lexical=not options.no_names)
        found = matches_of(library, hits)
        origin = library.embedder.origin
        if options.sheet:
            write_image(options.sheet, contact_sheet(library, found, scores=query.asks))
            print(f"Wrote {one_line(options.sheet)}", file=sys.stderr)
    if options.json:
        matches = [
            {"score": round(match.score, 6), "view": match.view, **_asset_json(match.asset)}
            for match in found
        ]
        print(json.dumps({"embedder": origin, "matches": matches}, indent=2))
        return 0
    if not found:
        print("Nothing fits.")
    for line in _table(found, ranked=query.asks):
        print(line)
    print(f"\nCompared by {one_line(origin)}")
    return 0


def do_dups(options: argparse.Namespace) -> int:
    """Group near-duplicates and print the groups."""
    with _opened(options) as library:
        groups = [library.assets(group) for group in show(library.groups_job())]
    if options.json:
        print(json.dumps([[_asset_json(asset) for asset in group] for group in groups], indent=2))
        return 0
    for number, group in enumerate(groups, 1):
        print(f"Group {number}")
        for asset in group:
            print(f"  {one_line(str(asset.path))}  {bytes_of(asset.bytes)}")
    spare = sum(asset.bytes for group in groups for asset in group[1:])
    print(
        f"{count_of(len(groups), 'group')} of near-duplicates"
        + (f"; all but the first of each take {bytes_of(spare)}" if groups else "")
    )
    return 0


def do_stats(options: argparse.Namespace) -> int:
    """Print figures of the library."""
    with _opened(options) as library:
        torn = library.check() if options.check else None
        stats, folder = library.stats(), library.folder
    if options.json:
        figures: dict[str, Any] = {"library": os.fspath(folder), **dataclasses.asdict(stats)}
        print(json.dumps(figures if torn is None else figures | {"torn": torn}, indent=2))
        return 0
    models = [
        f"{count_of(count, 'vector')} of {one_line(model)} from views {one_line(recipe)}"
        for model, recipe, count in stats.models
    ]
    facts = [
        ("Library", one_line(str(folder))),
        ("Takes", bytes_of(stats.disk_bytes)),
        ("Folders", f"{stats.folders:,}"),
        ("Models", f"{stats.assets:,}, {bytes_of(stats.bytes)}"),
        ("Polygons", f"{stats.polygons:,}"),
        ("Splats", f"{stats.splats:,}"),
        ("Formats", _counts(stats.by_format)),
        ("Licences", _counts(stats.by_licence)),
        ("Vectors", "; ".join(models) or "none yet"),
        ("Duplicates", count_of(stats.groups, "group")),
        ("Failures", f"{stats.failures:,}"),
    ]
    if torn is not None:
        facts.append(("Damage", f"{torn} vectors dropped; index again" if torn else "none"))
    for name, value in facts:
        print(f"{name:<11} {value}")
    return 0


def do_folders(options: argparse.Namespace) -> int:
    """List the watched folders, or forget one."""
    with _opened(options) as library:
        if options.remove is not None:
            left = library.remove_folder(options.remove)
            print(f"{count_of(left, 'model')} left the library; the files stay.")
            return 0
        folders = library.folders()
    for folder in folders:
        print(one_line(str(folder)))
    if not folders:
        print("No folder is watched yet: polyorama shapes index FOLDER")
    return 0


@contextlib.contextmanager
def _opened(options: argparse.Namespace) -> Iterator[Library]:
    library = open_library(options.library, model=options.model)
    try:
        yield library
    finally:
        library.close()


def _report_text(report: IndexReport) -> str:
    parts = [
        (report.added, "new"), (report.changed, "changed"), (report.moved, "moved"),
        (report.unchanged, "unchanged"), (report.gone, "gone"),
        (len(report.failures), "failed"), (report.skipped, "failed before (--retry looks again)"),
    ]  # fmt: skip
    said = [f"{count:,} {what}" for count, what in parts if count]
    return f"{count_of(report.indexed, 'model')} indexed: {', '.join(said) or 'none found'}"


def _print_failures(failures: Sequence[Failure]) -> None:
    for failure in failures:
        path = one_line(str(failure.path))
        reason = one_line(failure.reason)
        print(reason if path in reason else f"{path}: {reason}", file=sys.stderr)


def _report_json(report: IndexReport, known: Sequence[Failure]) -> dict[str, Any]:
    counts = {
        field.name: getattr(report, field.name)
        for field in dataclasses.fields(report)
        if field.name != "failures"
    }
    told = [{"path": os.fspath(f.path), "reason": f.reason} for f in report.failures]
    standing = [{"path": os.fspath(f.path), "reason": f.reason} for f in known]
    return {**counts, "failures": told, "all_failures": standing}


def _asset_json(asset: Asset) -> dict[str, Any]:
    return {**dataclasses.asdict(asset), "path": os.fspath(asset.path)}


def _counts(counts: dict[str, int]) -> str:
    said = (f"{count:,} {one_line(name) or 'unknown'}" for name, count in counts.items())
    return ", ".join(said) or "none"


def _table(found: Sequence[Match], *, ranked: bool) -> Iterator[str]:
    """Lines of score, name, size, licence, view and path; names give way where it is narrow."""
    if not found:
        return
    rows = [("Score", "Name", "Polygons", "Licence", "View", "Path")]
    for match in found:
        asset = match.asset
        size = f"{asset.polygons:,}" if asset.polygons is not None else ""
        if asset.splats is not None:
            size = f"{asset.splats:,} splats"
        rows.append((
            f"{match.score:.3f}" if ranked else "", one_line(asset.caption), size,
            one_line(asset.licence), f"{match.view}" if match.view else "",
            one_line(str(asset.path)),
        ))  # fmt: skip
    columns = max(_LEAST_COLUMNS, shutil.get_terminal_size((120, 24)).columns)
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    widths[1], widths[3] = min(widths[1], columns // 4), min(widths[3], columns // 6)
    for score, name, size, licence, view, path in rows:
        yield (
            f"{score:>{widths[0]}}  {_cut(name, widths[1])}  {size:>{widths[2]}}  "
            f"{_cut(licence, widths[3])}  {view:>{widths[4]}}  {path}"
        )


def _cut(text: str, width: int) -> str:
    return f"{text:<{width}}" if len(text) <= width else text[: max(0, width - 3)] + "..."
