"""How the shipped model was trained: sizes, numbers, and the way from nothing to its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import OutputError
from polyorama.face.corpus import corpus_clips
from polyorama.face.ecoface.config import EcoFaceConfig
from polyorama.face.ecoface.content import ListenerContent
from polyorama.face.ecoface.examples import read_examples, write_examples
from polyorama.face.ecoface.sound import SOUND
from polyorama.face.ecoface.stages import TrainSettings
from polyorama.face.ecoface.training import train
from polyorama.face.ecoface.training_data import synthetic_plan, synthetic_set
from polyorama.face.ecoface.weights import save_weights
from polyorama.face.motion.manners import SPEAKERS
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from polyorama.core.jobs import Job

__all__ = ["BLIND", "DEFAULT", "FILES", "SHIPPED", "make"]

SHIPPED = EcoFaceConfig(
    content=len(PHONES), sound=SOUND, emotion=64, persons=len(SPEAKERS), hidden=112,
    encoder_layers=6, emotion_hidden=64, emotion_layers=5,
)  # fmt: skip
"""Sizes of the shipped model: the paper's, narrower, and two layers fewer in the VAE's encoder."""

DEFAULT = TrainSettings(
    emotion_steps=1000, sync_steps=300, motion_steps=2500, batch=16, rows=64, rate=1e-3,
    warm_up=50, sound_noise=0.1,
)  # fmt: skip

BLIND = replace(DEFAULT, emotion_space=False)
"""The same without the space of emotion, for the study."""

FILES = {"ecoface-default.safetensors": DEFAULT, "ecoface-blind.safetensors": BLIND}


def make(work: Path, out: Path) -> Job[list[Path]]:
    """Speak the corpus, move by rules, train both models, write their weights.

    What was done already in `work` is not done again.

    Parameters
    ----------
    work
        A folder for the corpus, the examples and interrupted trainings.
    out
        A folder for the weights.

    Raises
    ------
    UnavailableError
        If a synthesiser of speech, or the listener, is missing.
    OutputError
        If a file cannot be written.
    """
    for folder in (work, out):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"Cannot make the folder ({error.strerror}): {folder}") from error
    examples = work / "examples.safetensors"
    if not examples.exists():
        corpus = yield from corpus_clips(synthetic_plan(), work / "corpus")
        clips = [corpus[n] for n in range(len(corpus))]
        made = yield from synthetic_set(clips, ListenerContent())
        write_examples(made, examples)
    data = read_examples(examples)
    written = []
    for name, settings in FILES.items():
        state = work / f"{Path(name).stem}.state"
        weights = yield from train(data, SHIPPED, state, settings, resume=True)
        save_weights(weights, out / name)
        written.append(out / name)
    return written
