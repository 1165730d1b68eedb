"""Small made-up takes for tests, and a slow reading of what a glTF viewer shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from polyorama.face.take import TRAINED_ON, Provenance, Take
from polyorama.scene.contents import Audio
from polyorama.scene.faces.morphs import MorphRig, Rotor
from polyorama.scene.faces.phones import Phone, PhoneTrack, Word
from tests.engine.face_samples import ball_rig, wavy

PROVENANCE = Provenance(
    "mix", model="ecoface-default 3f2a", training=TRAINED_ON, seed=7, temperature=0.7,
    speaker="speaker 3", emotion="happy 0.7", sound="voice “1”.wav", program="Polyorama 9",
    channels={"jawOpen": "rules", "browInnerUp": "tracker"},
)  # fmt: skip

PHONES = PhoneTrack(
    (
        Phone("sil", 0.0, 0.1), Phone("P", 0.1, 0.2), Phone("AA", 0.2, 0.42, 1),
        Phone("T", 0.42, 0.5), Phone("UW", 0.6, 0.81, 0), Phone("F", 0.81, 0.9),
    ),
    (Word("pot", 0.1, 0.5), Word("oof", 0.6, 0.9)),
)  # fmt: skip


def take(seconds: float = 1.5, fps: float = 60.0, seed: int = 0) -> Take:
    """A take in which every channel moves, with phones, emotion and a sound."""
    performance = wavy(seconds, fps, seed)
    rng = np.random.default_rng(seed)
    tone = 0.3 * np.sin(np.arange(round(seconds * 16000)) * 0.1)
    return Take(
        performance, PROVENANCE, PHONES,
        rng.random((len(performance), 8), np.float32),
        Audio(samples=tone[:, None].astype(np.float32), rate=16000),
    )  # fmt: skip


def nodding_rig() -> MorphRig:
    """A ball whose lower end stays while the rest turns about its middle; two materials."""
    rig = ball_rig()
    rest = rig.mesh.vertices
    amounts = np.clip(0.5 - rest[:, 1] / 0.1, 0.0, 1.0).astype(np.float32)
    head = next(rotor for rotor in rig.rotors if rotor.name == "head")
    others = tuple(rotor for rotor in rig.rotors if rotor.name != "head")
    texture = np.random.default_rng(0).integers(0, 256, (4, 8, 3), np.uint8)
    materials = (*rig.mesh.materials, replace(rig.mesh.materials[0], texture=texture))
    mesh = replace(
        rig.mesh,
        materials=materials,
        material_ids=(np.arange(len(rig.mesh.triangles)) % 2).astype(np.int32),
        uvs=(rest[:, :2] / 0.2 + 0.5).astype(np.float32),
        colors=np.clip(rest / 0.2 + 0.5, 0.0, 1.0),
    )
    turned = Rotor("head", head.indices, amounts, np.array([0.0, 0.02, 0.01]), head.channels)
    return replace(rig, mesh=mesh, rotors=(*others, turned), name="nodding")
