"""Small made-up faces for tests."""

from __future__ import annotations

import numpy as np

from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS
from polyorama.scene.faces.morphs import Corrective, MorphRig, Rotor, Shapes
from polyorama.scene.faces.performance import Performance
from polyorama.scene.mesh import Material, Mesh


def ball_rig(rows: int = 12, name: str = "ball") -> MorphRig:
    """A ball of radius 0.1 with a few shapes, a corrective, an eye and a head that turns."""
    around, up = np.meshgrid(
        np.linspace(0, 2 * np.pi, 2 * rows, endpoint=False), np.linspace(0, np.pi, rows + 2)[1:-1]
    )
    ring = np.stack(
        [np.sin(up) * np.sin(around), np.cos(up), np.sin(up) * np.cos(around)], axis=-1
    ).reshape(-1, 3)
    vertices = np.concatenate([ring, [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]]) * 0.1
    wide = 2 * rows
    triangles = []
    for row in range(rows - 1):
        for column in range(wide):
            a, b = row * wide + column, row * wide + (column + 1) % wide
            c, d = a + wide, b + wide
            triangles += [(a, c, b), (b, c, d)]
    low, high = len(ring), len(ring) + 1
    for column in range(wide):
        nearby = (column + 1) % wide
        triangles.append((low, column, nearby))
        last = (rows - 1) * wide
        triangles.append((high, last + nearby, last + column))
    corners = np.array(triangles, np.int32)
    normals = np.cross(
        vertices[corners[:, 1]] - vertices[corners[:, 0]],
        vertices[corners[:, 2]] - vertices[corners[:, 0]],
    )
    inward = np.einsum("nc,nc->n", normals, vertices[corners].mean(axis=1)) < 0
    corners[inward] = corners[inward][:, ::-1]
    front = np.flatnonzero(vertices[:, 2] > 0.05)
    below = front[vertices[front, 1] > 0.0]
    offsets = {name: np.zeros_like(vertices) for name in ("jawOpen", "mouthClose", "extra")}
    offsets["jawOpen"][below, 1] = 0.03
    offsets["mouthClose"][below, 1] = -0.02
    offsets["extra"][below, 1] = -0.01
    left = front[vertices[front, 0] < -0.02]
    offsets["mouthSmileLeft"] = np.zeros_like(vertices)
    offsets["mouthSmileLeft"][left] = (-0.01, -0.01, 0.0)
    everything = np.arange(len(vertices))
    return MorphRig(
        Mesh(
            vertices, corners,
            materials=(Material((0.8, 0.6, 0.5, 1.0), softness=0.7),), name=name,
        ),
        Shapes.of_dense(offsets),
        rotors=(
            Rotor("leftEye", left, np.ones(len(left)), np.array([-0.03, 0.0, 0.05]),
                  {"eyeLookOutLeft": (0.0, -0.5, 0.0)}),
            Rotor("head", everything, np.ones(len(everything)), np.zeros(3),
                  {"headYaw": (0.0, -1.0, 0.0), "headPitch": (1.0, 0.0, 0.0),
                   "headRoll": (0.0, 0.0, -1.0)}),
        ),
        correctives=(Corrective("extra", ("jawOpen", "mouthClose")),),
        regions={"lips": below},
        landmarks={"mouthCorners": np.array([front[0], front[-1]])},
        name=name,
    )  # fmt: skip


def wavy(seconds: float = 1.0, fps: float = 30.0, seed: int = 0) -> Performance:
    """A performance in which every channel moves."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * fps)) / fps
    speed, phase = rng.uniform(2.0, 9.0, len(CHANNELS)), rng.uniform(0, 6, len(CHANNELS))
    weights = 0.5 + 0.5 * np.sin(time[:, None] * speed + phase)
    weights[:, CHANNEL_INDEX["headYaw"] :] = 0.3 * (weights[:, CHANNEL_INDEX["headYaw"] :] - 0.5)
    return Performance(weights, fps)
