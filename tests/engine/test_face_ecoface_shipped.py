"""The weights that come along: what they weigh, say of themselves and do, without synthesisers."""

from __future__ import annotations

import importlib.resources

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.face.ecoface.config import FPS
from polyorama.face.ecoface.generate import EcoFace, upsampled
from polyorama.face.ecoface.recipe import SHIPPED
from polyorama.face.ecoface.training_data import TEACHER_STYLE
from polyorama.face.motion.closures import clamped
from polyorama.face.motion.manners import SPEAKERS
from polyorama.face.motion.teacher import perform
from polyorama.face.take import TRAINED_ON
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS, REGIONS
from polyorama.scene.faces.phones import Phone, PhoneTrack

FOLDER = importlib.resources.files("polyorama_assets") / "face"

# "My baby papa found a map of the moon", about as fast as people speak.
_SAID = [
    "sil",
    "M",
    "AY",
    "B",
    "EY",
    "B",
    "IY",
    "P",
    "AA",
    "P",
    "AH",
    "F",
    "AW",
    "N",
    "D",
    "AH",
    "M",
    "AE",
    "P",
    "AH",
    "V",
    "DH",
    "AH",
    "M",
    "UW",
    "N",
    "sil",
]
_LASTS = 0.09


@pytest.fixture(scope="module")
def model() -> EcoFace:
    return EcoFace.load()


def _track() -> PhoneTrack:
    return PhoneTrack(tuple(
        Phone(symbol, n * _LASTS, (n + 1) * _LASTS) for n, symbol in enumerate(_SAID)
    ))  # fmt: skip


def _rules(emotion: int, speaker: int) -> np.ndarray:
    strengths = np.eye(len(EMOTIONS))[emotion]
    made = perform(_track(), None, strengths, TEACHER_STYLE, SPEAKERS[speaker],
                   seconds=len(_SAID) * _LASTS, seed=3, fps=FPS)  # fmt: skip
    return np.asarray(made.weights)


def test_they_take_less_than_8_mb_and_say_what_they_learned_from(model: EcoFace) -> None:
    assert (FOLDER / "ecoface-default.safetensors").stat().st_size < 8_000_000
    assert model.trained_on == TRAINED_ON
    assert model.weights.config == SHIPPED
    assert model.speakers == tuple(manner.name for manner in SPEAKERS)
    assert model.name.startswith("ecoface-default ")
    card = (FOLDER / "ecoface.md").read_text(encoding="utf-8")
    assert TRAINED_ON in card


def test_every_chosen_feeling_moves_the_face_as_the_rules_would(model: EcoFace) -> None:
    count = len(_rules(0, 0))
    content = model.content_of_phones(_track(), count)
    faces = [_rules(emotion, 2) for emotion in range(len(EMOTIONS))]
    upper = [CHANNEL_INDEX[n] for r in ("brows", "lids", "cheeks") for n in REGIONS[r]]
    for emotion in range(len(EMOTIONS)):
        feeling = model.emotion_features_for(np.eye(len(EMOTIONS))[emotion])
        made = model.generate(content, feeling, 2, seed=emotion)
        apart = [np.abs(made[:, upper] - face[:, upper]).mean() for face in faces]
        assert int(np.argmin(apart)) == emotion


def test_lips_follow_phones(model: EcoFace) -> None:
    truth = _rules(0, 0)
    neutral = model.weights.prototypes[0]
    jaw = CHANNEL_INDEX["jawOpen"]
    made = model.generate(model.content_of_phones(_track(), len(truth)), neutral, temperature=0.0)
    assert np.corrcoef(made[:, jaw], truth[:, jaw])[0, 1] > 0.85
    silent = model.generate(model.content_of_phones(PhoneTrack(), len(truth)), neutral)
    assert silent[:, jaw].mean() < 0.3 * made[:, jaw].mean()


def test_lips_are_closed_where_closures_are_clamped(model: EcoFace) -> None:
    count = len(_rules(0, 0))
    content = model.content_of_phones(_track(), count)
    motion = model.generate(content, model.weights.prototypes[8], 1, seed=4, temperature=1.0)
    rows = clamped(np.asarray(upsampled(motion).weights), _track(), 60.0)
    gap = rows[:, CHANNEL_INDEX["jawOpen"]] - rows[:, CHANNEL_INDEX["mouthClose"]]
    for phone in _track().phones:
        inside = gap[int(np.ceil(phone.start * 60)) : int(np.ceil(phone.end * 60))]
        if phone.symbol in ("P", "B", "M"):
            assert inside.min() == pytest.approx(0.0, abs=1e-6)


def test_feelings_of_faces_are_told(model: EcoFace) -> None:
    from polyorama.scene.faces.performance import Performance

    for emotion in range(len(EMOTIONS)):
        features = model.emotion_of_motion(Performance(_rules(emotion, 5), FPS))
        chances = model.probabilities(features).mean(0)
        assert int(chances.argmax()) == emotion


def test_persons_differ_and_the_map_tells_feelings_apart(model: EcoFace) -> None:
    content = model.content_of_phones(_track(), 40)
    takes = [model.generate(content, model.weights.prototypes[4], n) for n in range(8)]
    apart = [np.abs(a - b).mean() for n, a in enumerate(takes) for b in takes[:n]]
    assert min(apart) > 0.003
    places = model.map.places
    strong = places[[0, *range(2, 15, 2)]]
    gaps = np.linalg.norm(strong[:, None] - strong[None], axis=2)[np.triu_indices(8, 1)]
    assert gaps.min() > 0.2


def test_silence_and_noise_make_a_face_that_stays_a_face(model: EcoFace) -> None:
    for samples in (np.zeros(1, np.float32), np.zeros(8000, np.float32),
                    np.random.default_rng(0).uniform(-1, 1, 24000).astype(np.float32)):  # fmt: skip
        made = model.performance(samples)
        assert np.isfinite(np.asarray(made.weights)).all()
        assert len(made) >= 1


@pytest.mark.study
def test_the_study_s_aims_on_known_voices() -> None:
    from polyorama.face.ecoface.study import CHOSEN, CLOSED, SWAP, StudySettings, study
    from polyorama.face.rigs.head.build import build_head

    rows = run(study(EcoFace.load(), build_head(), StudySettings(known=32, unknown=8)))
    for row in rows:
        if row.group == "known voices" and row.name in (CHOSEN, CLOSED):
            assert row.holds, row
        if row.name == SWAP and row.source == "from a face":
            assert row.holds, row
