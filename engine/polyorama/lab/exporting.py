"""A recorded run as files that others read: tables, figures, films, and a script that reruns it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import polyorama
from polyorama.core.arguments import check_path
from polyorama.core.jobs import Progress
from polyorama.core.text import one_line
from polyorama.errors import OutputError, UnavailableError, UsageError
from polyorama.io.atomic import atomic_write, check_target
from polyorama.io.image import write_image
from polyorama.io.video import FilmWriter, check_video_ending, frame_rate
from polyorama.lab.catalog import locator
from polyorama.lab.figure_page import FIGURE_SIZE, drawn_pixels
from polyorama.lab.figures import figure_of
from polyorama.lab.rows import STEP

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from polyorama.core.jobs import Job
    from polyorama.lab.recording import Recording
    from polyorama.lab.space import Orbit

__all__ = [
    "ENDINGS", "export", "export_csv", "export_film", "export_parquet", "export_picture",
    "export_script", "save_figure",
]  # fmt: skip

ENDINGS = {
    ".csv": "a table of all scalars, one row a snapshot",
    ".parquet": "the same table for pandas, polars and others",
    ".png": "the views at one snapshot",
    ".svg": "the views at one snapshot, as lines",
    ".mp4": "a film, one frame a snapshot",
    ".py": "a script that runs it again",
}
"""What an ending stands for."""


def export(
    recording: Recording, target: str | os.PathLike[str], *, fps: float = 30.0, **options: Any
) -> Job[Path]:
    """Write a run in the format that the ending of the file names.

    Parameters
    ----------
    target
        A name that ends in one of `ENDINGS`.
    fps
        Frames a second, of films.
    options
        For pictures and films, as `export_picture` and `export_film` have them.

    Raises
    ------
    OutputError
        If the ending is unknown or the system refuses.
    """
    check_path(target)
    ending = Path(target).suffix.lower()
    if ending not in ENDINGS:
        raise OutputError(
            f"A run is not written as {ending or 'a file without an ending'} (can: "
            f"{', '.join(ENDINGS)}): {target}"
        )
    check_target(target)
    yield Progress(0, 1, "Exporting")
    if ending == ".mp4":
        yield from export_film(recording, target, fps=fps, **options)
    elif ending in (".png", ".svg"):
        export_picture(recording, target, **options)
    else:
        writers = {".csv": export_csv, ".parquet": export_parquet, ".py": export_script}
        writers[ending](recording, target)
    return Path(target)


def export_csv(recording: Recording, target: str | os.PathLike[str]) -> None:
    """Write all scalars as text, one row a snapshot; a value that is missing is an empty cell.

    Numbers are written so that reading them gives the same float64 again.
    """
    columns = recording.columns
    present = recording.rows.scalars
    with (
        atomic_write(target) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(columns)
        cells = []
        for name, column in columns.items():
            known = present.present(name).tolist()
            values = column.tolist()
            whole = name == STEP
            cells.append(
                [
                    (repr(int(v)) if whole else repr(v)) if k else ""
                    for v, k in zip(values, known, strict=True)
                ]
            )
        writer.writerows(zip(*cells, strict=True))


def export_parquet(recording: Recording, target: str | os.PathLike[str]) -> None:
    """Write all scalars as columns of float64 (steps as int64); missing values are null.

    Raises
    ------
    UnavailableError
        If pyarrow is not there.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise UnavailableError(
            "Parquet needs pyarrow; install it with pip install 'polyorama[lab]'."
        ) from error
    present = recording.rows.scalars
    columns = {}
    for name, column in recording.columns.items():
        kind = np.int64 if name == STEP else np.float64
        missing = ~present.present(name)
        columns[name] = pyarrow.array(column.astype(kind), mask=missing)
    about = {"experiment": recording.experiment_id, "seed": str(recording.seed)}
    table = pyarrow.table(columns).replace_schema_metadata(about)
    with atomic_write(target) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def export_picture(
    recording: Recording,
    target: str | os.PathLike[str],
    index: int = -1,
    *,
    views: Sequence[str] = (),
    size: tuple[int, int] = FIGURE_SIZE,
    theme: str = "dark",
    orbits: Mapping[str, Orbit] | None = None,
) -> None:
    """Write the views at one snapshot as PNG or SVG; the parameters are those of `figure_of`."""
    figure = figure_of(
        recording.experiment(), recording, index, views=views, size=size, theme=theme,
        orbits=orbits,
    )  # fmt: skip
    save_figure(figure, target, f"{recording.experiment_id}, seed {recording.seed}")


def save_figure(figure: Any, target: str | os.PathLike[str], comment: str) -> None:
    """Write a matplotlib figure as PNG or, by its ending, SVG: equal figures give equal files."""
    if Path(target).suffix.lower() != ".svg":
        write_image(target, drawn_pixels(figure), text={"Comment": comment})
        return
    from matplotlib import rc_context

    about = {"Date": None, "Creator": f"Polyorama {polyorama.__version__}", "Title": comment}
    with (
        atomic_write(target) as temporary,
        rc_context({"svg.hashsalt": "polyorama", "svg.fonttype": "path"}),
    ):
        figure.savefig(temporary, format="svg", metadata=about, facecolor=figure.get_facecolor())


def export_film(
    recording: Recording,
    target: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    first: int = 0,
    stop: int | None = None,
    views: Sequence[str] = (),
    size: tuple[int, int] = FIGURE_SIZE,
    theme: str = "dark",
    orbits: Mapping[str, Orbit] | None = None,
) -> Job[None]:
    """Write a film, one frame a snapshot, as a job.

    Parameters
    ----------
    fps
        Frames a second. Snapshots that were recorded thirty a second then play as they ran.
    first, stop
        Which snapshots; None for up to the last.
    views, size, theme, orbits
        As of `figure_of`.

    Raises
    ------
    UsageError
        If there are no such snapshots.
    """
    check_video_ending(target)
    rows = range(recording.length)[slice(first, stop)]
    if not rows:
        raise UsageError(f"There is no snapshot to film; the run has {recording.length:,}.")
    experiment = recording.experiment()
    comment = f"{recording.experiment_id}, seed {recording.seed}"
    with (
        atomic_write(target) as temporary,
        FilmWriter(temporary, frame_rate(fps), comment=comment) as film,
    ):
        for done, row in enumerate(rows, start=1):
            figure = figure_of(
                experiment, recording, row, views=views, size=size, theme=theme, orbits=orbits
            )
            film.write(drawn_pixels(figure))
            yield Progress(done, len(rows), "Filming")


def export_script(recording: Recording, target: str | os.PathLike[str]) -> None:
    """Write a Python script that runs it again, with every change at its step."""
    with atomic_write(target) as temporary:
        temporary.write_text(_script(recording), encoding="utf-8")


def _script(recording: Recording) -> str:
    experiment = recording.experiment()
    arrays = bool(recording.paintings) or any(
        isinstance(change.value, np.ndarray) for change in recording.changes
    )
    title = one_line(experiment.title).replace('"', "'").replace("\\", "/")
    lines = [f'"""{title}, as it was recorded with Polyorama {polyorama.__version__}."""', ""]
    lines += ["import numpy as np", ""] if arrays else []
    lines += ["import polyorama as po", "", "experiment = po.experiment("]
    lines.append(f"    {locator(type(experiment))!r},")
    if experiment.rivals:
        lines.append(f"    rivals={recording.rivals!r},")
    if recording.paintings:
        lines.append("    paintings={")
        lines += [f"        {n!r}: {_shown(array)}," for n, array in recording.paintings.items()]
        lines.append("    },")
    lines += [f"    {name}={value!r}," for name, value in recording.params.items()]
    lines.append(")")
    if recording.changes:
        lines.append("changes = [")
        lines += [f"    ({c.step}, {c.name!r}, {_shown(c.value)})," for c in recording.changes]
        lines.append("]")
    lines.append("run = po.run_experiment(")
    lines.append("    experiment,")
    lines.append(f"    seed={recording.seed},")
    lines.append(f"    steps={int(recording.steps[-1])},")
    lines.append(f"    every={_every(recording)},")
    lines += ["    changes=changes,"] if recording.changes else []
    lines += [")", "for name, column in run.columns.items():", "    print(name, column[-1])", ""]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return f"np.array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)


def _every(recording: Recording) -> int:
    """The commonest distance of snapshots, steps."""
    gaps = np.diff(recording.steps).astype(np.int64)
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return 1
    values, counts = np.unique(gaps, return_counts=True)
    return int(values[counts.argmax()])
