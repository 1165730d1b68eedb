"""Train: fine-tune CLIP to one's own models, so that words and pictures find them."""

from __future__ import annotations

import contextlib
import csv
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.core.jobs import Progress, run
from polyorama.errors import OutputError, UnavailableError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.shapes.clip.captions import captioned_models
from polyorama.shapes.clip.embedder import clip_device, find_words, model_id
from polyorama.shapes.clip.load import load_clip, save_clip
from polyorama.shapes.clip.net import Clip
from polyorama.shapes.clip.rendered import PIXELS, TABLE, render_job
from polyorama.shapes.clip.train import CURVES, Curves, TrainSettings, train
from polyorama.shapes.clip.words import VOCABULARIES

if TYPE_CHECKING:
    import os
    from collections.abc import Generator

    from polyorama.core.jobs import Job
    from polyorama.shapes.clip.load import LoadedClip
    from polyorama.shapes.clip.rendered import RenderViews

__all__ = ["MODEL", "STATE", "TABLE_OF_LOSSES", "Trained", "train_shapes", "train_shapes_job"]

MODEL, STATE, TABLE_OF_LOSSES = "model.safetensors", "training.safetensors", "losses.csv"
"""What a folder of training holds: the model at the end, what to go on from, the curves."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What a training came to.

    Parameters
    ----------
    path
        The model, which `load_embedder` and `--model` take.
    models
        How many it was trained on.
    failed
        By name, why others could not be drawn.
    curves
        Losses at every step.
    seconds
        Wall time of this run.
    """

    path: Path
    models: int
    failed: dict[str, str]
    curves: Curves
    seconds: float


def train_shapes(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    model: str | os.PathLike[str],
    **options: Any,
) -> Trained:
    """Fine-tune CLIP on a folder of models and wait for it; see `train_shapes_job`."""
    return run(train_shapes_job(folder, output, model, **options))


def train_shapes_job(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    model: str | os.PathLike[str],
    *,
    settings: TrainSettings | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    device: str = "cpu",
    resume: bool = False,
    render: RenderViews | None = None,
) -> Job[Trained]:
    """Draw captioned models from all round and fine-tune CLIP or Duoduo CLIP to them, as a job.

    Parameters
    ----------
    folder
        Models, and words about them in ``captions.json`` or ``captions.csv``; else their names.
    output
        Folder for the model, the losses and, meanwhile, what is needed to go on. It is made.
    model
        Where to begin: a file of weights, a folder, or the id of a registered model.
    settings
        Epochs and all other numbers.
    vocabulary
        File or folder of the vocabulary; None looks beside the weights and in the registry.
    device
        "cpu" or a CUDA device.
    resume
        Whether to go on with what is in `output`.
    render
        Draws views of a file; None is this project's renderer.

    Raises
    ------
    FileFormatError
        If weights, vocabulary or captions are missing or damaged.
    UsageError
        If there are too few models, options contradict each other, or `output` is in use.
    OutputError
        If `output` cannot be written.
    UnavailableError
        If the device, the model, its vocabulary or memory are not there.
    """
    begin = time.monotonic()
    numbers, place = settings or TrainSettings(), clip_device(device)
    source, target = Path(folder), Path(output)
    models = captioned_models(source)
    _check_output(target, resume)
    yield Progress(0, 0, "Loading the model")
    loaded = load_clip(model)
    net = loaded.net
    if not isinstance(net, Clip):
        raise UsageError("SigLIP has no blocks in which views could meet; train a CLIP.")
    places = [loaded.path.parent]
    if vocabulary is not None:
        places.insert(0, Path(vocabulary))
    words, missing = find_words(loaded, places)
    if words is None:
        raise UnavailableError(missing)
    _make(target)
    draw = render or _renderer()
    data = yield from render_job(models, target, numbers.views, net.config.vision.size, draw)
    job = train(
        net, words, data, target / STATE, settings=numbers, model_id=model_id(loaded),
        device=place, resume=resume,
    )  # fmt: skip
    with _words_for_memory(numbers.batch):
        tuned, curves = yield from _written(job, target / TABLE_OF_LOSSES)
    with atomic_write(target / MODEL) as temporary:
        save_clip(tuned, temporary, _origin(loaded, len(data.models), source))
    for near in places:
        _copy_vocabulary(near, target)
    # Mapped files cannot be removed everywhere.
    count, failed = len(data.models), data.failed
    del data, job
    for name in (STATE, TABLE, PIXELS):
        with contextlib.suppress(OSError):
            (target / name).unlink(missing_ok=True)
    return Trained(target / MODEL, count, failed, curves, time.monotonic() - begin)


def _check_output(target: Path, resume: bool) -> None:
    if target.exists() and not target.is_dir():
        raise OutputError(f"Training needs a folder to write to, and this is a file: {target}")
    if (target / MODEL).exists():
        raise UsageError(f"A training has ended in this folder; choose another: {target}")
    if (target / STATE).exists() and not resume:
        raise UsageError(
            f"A training was interrupted in this folder; go on with --resume, or choose another: "
            f"{target}"
        )


def _make(target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder ({error.strerror}): {target}") from error


def _renderer() -> RenderViews:
    # Readers of formats and the renderer are only loaded where models are drawn.
    from polyorama.shapes.describing import render_file

    return render_file


def _written(
    job: Generator[Progress, None, tuple[Clip, Curves]], path: Path
) -> Job[tuple[Clip, Curves]]:
    """The job, whose curves are in a table after every epoch."""
    epoch = -1
    try:
        while True:
            progress = next(job)
            yield progress
            reached = getattr(progress, "epoch", epoch)
            if reached != epoch and isinstance(progress.preview, Curves):
                epoch = reached
                _write_losses(path, progress.preview)
    except StopIteration as stop:
        net, curves = stop.value
        _write_losses(path, curves)
        return net, curves
    finally:
        job.close()


def _write_losses(path: Path, curves: Curves) -> None:
    with (
        atomic_write(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        table = csv.writer(file)
        table.writerow(("step", *CURVES))
        for step, row in enumerate(curves.rows.tolist(), 1):
            table.writerow((step, int(row[0]), int(row[1]), *(f"{x:.9g}" for x in row[2:])))


def _origin(loaded: LoadedClip, count: int, folder: Path) -> str:
    return f"{loaded.origin}; fine-tuned on {count:,} models of the folder {folder.resolve().name}"


def _copy_vocabulary(near: Path, target: Path) -> None:
    """What lay beside the weights lies beside the new ones."""
    for name in VOCABULARIES:
        found = near / name if near.is_dir() else near
        if found.name == name and found.is_file() and not (target / name).exists():
            with atomic_write(target / name) as temporary:
                shutil.copyfile(found, temporary)


@contextlib.contextmanager
def _words_for_memory(batch: int) -> Generator[None, None, None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # torch raises a RuntimeError where the system has no memory left, a kind of it on CUDA.
        text = str(error).lower()
        if isinstance(error, MemoryError) or "out of memory" in text or "not enough mem" in text:
            raise UnavailableError(
                f"Memory ran out with {batch} models at a time; allow fewer with --batch."
            ) from error
        raise
