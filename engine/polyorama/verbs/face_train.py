"""Teaching EcoFace: on data sets of talking faces, or a new speaker's manner alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.jobs import Progress
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import check_target

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job
    from polyorama.face.ecoface.examples import ExampleSet
    from polyorama.face.ecoface.stages import TrainSettings

__all__ = ["STATE", "Taught", "teach_person_job", "train_face_job"]

STATE = ".training"
"""What is added to the name of the weights for the file that a training goes on from."""
_ENDING = ".safetensors"


@dataclass(frozen=True, slots=True)
class Taught:
    """What came of a training.

    Parameters
    ----------
    path
        The weights.
    clips, speakers
        How many it learned from.
    before, after
        Error of the motion in its own units, where a speaker's manner alone was learned; else 0.
    """

    path: Path
    clips: int
    speakers: int
    before: float = 0.0
    after: float = 0.0


def train_face_job(
    data: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    settings: TrainSettings | None = None,
    layout: str = "",
    rig: str | os.PathLike[str] | None = None,
    hubert: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Job[Taught]:
    """Train all of EcoFace on a folder of clips, as a job that can be stopped and gone on with.

    Parameters
    ----------
    data
        The folder; its layout is found out, see `polyorama.face.data.layouts.LAYOUTS`.
    output
        The weights, .safetensors.
    settings
        All numbers of the training; None for the paper's.
    layout
        One of the layouts, or "" to find out.
    rig
        For data sets of vertices: a rig that was fitted to their template.
    hubert
        Folder of a HuBERT that hears the speech; None for the shipped listener.
    resume
        Go on where the same training was stopped.

    Raises
    ------
    FileFormatError
        If the folder or a clip in it is damaged, or in no known layout.
    UsageError
        If the clips do not fit together.
    OutputError
        If the weights cannot be written there.
    UnavailableError
        If a package or the HuBERT is missing.
    """
    from polyorama.face.ecoface.config import EcoFaceConfig
    from polyorama.face.ecoface.stages import TrainSettings
    from polyorama.face.ecoface.training import train
    from polyorama.face.ecoface.weights import save_weights

    target = _target(output)
    examples = yield from _examples(data, layout, rig, hubert)
    first = examples.examples[0]
    config = EcoFaceConfig(
        target=examples.target, content=first.content.shape[1], sound=first.sound.shape[1],
        persons=len(examples.persons),
    )  # fmt: skip
    state = target.with_name(target.name + STATE)
    weights = yield from train(
        examples, config, state, settings or TrainSettings(), resume=resume
    )  # fmt: skip
    save_weights(weights, target)
    state.unlink(missing_ok=True)
    return Taught(target, len(examples.examples), len(examples.persons))


def teach_person_job(
    data: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    name: str = "",
    model: str | os.PathLike[str] | None = None,
    layout: str = "",
    rig: str | os.PathLike[str] | None = None,
    steps: int = 200,
    seed: int = 0,
) -> Job[Taught]:
    """Teach a model one face's manner of speaking, 64 numbers, and nothing else; takes seconds.

    Parameters
    ----------
    data
        A folder of one face's clips, such as takes of Live Link Face with their sound.
    output
        The weights with one speaker more, .safetensors.
    name
        Of the speaker; "" for the folder's.
    model
        Weights to begin with; None for those that come along.
    layout, rig
        As of `train_face_job`.
    steps, seed
        Updates, and the seed of their order.

    Raises
    ------
    FileFormatError, UsageError, OutputError, UnavailableError
        As `train_face_job`; also if the clips are of several faces.
    """
    from polyorama.face.ecoface.generate import EcoFace
    from polyorama.face.ecoface.stages import check_seed
    from polyorama.face.ecoface.training import fit_person, with_person
    from polyorama.face.ecoface.weights import save_weights

    target = _target(output)
    check_seed(seed)
    known = EcoFace.load(None if model is None else Path(model))
    examples = yield from _examples(data, layout, rig, None)
    if len(examples.persons) != 1:
        names = ", ".join(examples.persons[:6])
        raise UsageError(
            f"These are clips of several faces ({names}); give a folder of one: {data}"
        )
    fit = yield from fit_person(known, examples, steps=steps, seed=seed)
    called = name or Path(data).resolve().name
    save_weights(with_person(known.weights, called, fit.person), target)
    return Taught(target, len(examples.examples), 1, fit.before, fit.after)


def _target(output: str | os.PathLike[str]) -> Path:
    target = Path(output)
    if target.suffix.lower() != _ENDING:
        raise OutputError(f"Weights are written as {_ENDING}: {output}")
    check_target(target)
    return target


def _examples(
    data: str | os.PathLike[str],
    layout: str,
    rig: str | os.PathLike[str] | None,
    hubert: str | os.PathLike[str] | None,
) -> Job[ExampleSet]:
    from polyorama.face.data.layouts import open_data
    from polyorama.face.ecoface.content import HubertContent, ListenerContent
    from polyorama.face.ecoface.user_data import examples_of
    from polyorama.face.rigs.opening import open_rig

    yield Progress(0, 0, "Looking for clips")
    clips = open_data(Path(data), layout)
    content = ListenerContent() if hubert is None else HubertContent(Path(hubert))
    return (yield from examples_of(clips, content, None if rig is None else open_rig(rig)))
