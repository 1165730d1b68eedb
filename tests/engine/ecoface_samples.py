"""A small EcoFace and small clips for tests."""

from __future__ import annotations

import numpy as np
import torch

from polyorama.face.ecoface.config import GROUPS, EcoFaceConfig
from polyorama.face.ecoface.ede import EmotionSpaceNet
from polyorama.face.ecoface.examples import Example, ExampleSet
from polyorama.face.ecoface.flow_vae import FlowVae
from polyorama.face.ecoface.sound import SOUND
from polyorama.face.ecoface.weights import EcoFaceWeights, Units
from polyorama.scene.faces.channels import CHANNELS, EMOTIONS
from polyorama.scene.faces.phones import PHONES

SMALL = EcoFaceConfig(
    content=len(PHONES), sound=SOUND, emotion=6, persons=2, condition=6, hidden=12,
    encoder_layers=2, decoder_layers=2, latent=4, flow_hidden=8, flow_layers=2, emotion_hidden=10,
    emotion_layers=2,
)  # fmt: skip


def small_set(clips: int = 12, seed: int = 0, least: int = 30) -> ExampleSet:
    """Clips whose motion follows content, emotion and person, with little noise."""
    rng = np.random.default_rng(seed)
    from_content = rng.normal(size=(len(PHONES), len(CHANNELS))) * 0.2
    from_emotion = rng.uniform(size=(len(EMOTIONS), len(CHANNELS))) * 0.4
    to_sound = rng.normal(size=(len(EMOTIONS), SOUND))
    examples = []
    for n in range(clips):
        rows = least + int(rng.integers(0, 30))
        emotion, level = GROUPS[n % len(GROUPS)]
        strength = 0.5 * level
        phones = rng.integers(0, 6, -(-rows // 4))
        content = np.eye(len(PHONES))[np.repeat(phones, 8)[: 2 * rows]]
        sound = to_sound[emotion] * strength + rng.normal(size=(2 * rows, SOUND)) * 0.2
        motion = content[::2] @ from_content * (1.0 + 0.3 * (n % 2))
        motion += from_emotion[emotion] * strength
        examples.append(Example(
            f"clip {n}", content.astype(np.float16), sound.astype(np.float16),
            np.clip(motion, 0.0, 1.0).astype(np.float32), n % 2, emotion, level,
        ))  # fmt: skip
    return ExampleSet(tuple(examples), ("Ada", "Bo"), "arkit", "listener", "Made up for tests.")


def small_weights(config: EcoFaceConfig = SMALL, seed: int = 0) -> EcoFaceWeights:
    """An untrained model whose flow is not the identity."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        space, vae = EmotionSpaceNet(config), FlowVae(config)
        with torch.no_grad():
            for coupling in vae.prior.couplings:
                coupling.last.weight.normal_(0.0, 0.3)
    rng = np.random.default_rng(seed)
    prototypes = rng.normal(size=(len(GROUPS), config.emotion)).astype(np.float32)
    probe = rng.normal(size=(len(EMOTIONS), config.emotion + 1)).astype(np.float32)
    persons = tuple(f"person {n}" for n in range(config.persons))
    units = Units.of(small_set(3))
    if config.target == "flame":
        units = Units(
            {**units.mean, "motion": np.zeros(53, np.float32)},
            {**units.spread, "motion": np.ones(53, np.float32)},
        )
    facts = {"trained_on": "Made up for tests.", "features": "listener"}
    return EcoFaceWeights(config, units, space, vae, prototypes, probe, persons, facts)
