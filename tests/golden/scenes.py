"""Small scenes made of arithmetic, of which golden pictures are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from polyorama.core.types import Camera
from polyorama.render.surfels import surfels_from_mesh
from polyorama.scene.document import Document
from polyorama.scene.mesh import Mesh
from polyorama.scene.rotations import quaternions
from polyorama.scene.splats import SplatCloud, sh_from_colors

SIZE = (160, 120)


def rainbow(turns: np.ndarray) -> np.ndarray:
    """Display RGB (N, 3) of a colour wheel, 0..1 a round."""
    return 0.5 + 0.45 * np.cos(2 * np.pi * (turns[:, None] + np.array([0, 1 / 3, 2 / 3])))


def knot() -> Document:
    """A trefoil of long, half-transparent splats whose colours change with the view."""
    t = np.arange(420) / 420
    angle = 2 * np.pi * t

    def at(a: np.ndarray) -> np.ndarray:
        ring = 2 + np.cos(3 * a)
        return np.stack([ring * np.cos(2 * a), ring * np.sin(2 * a), np.sin(3 * a)], axis=1)

    along = at(angle + 1e-4) - at(angle - 1e-4)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    frames = np.stack([along, side, np.cross(along, side)], axis=2)
    rng = np.random.default_rng(8)
    sh = 0.08 * rng.normal(size=(420, 16, 3))
    sh[:, 0] = sh_from_colors(rainbow(t))
    cloud = SplatCloud(
        at(angle).astype(np.float32),
        quaternions(frames).astype(np.float32),
        np.tile(np.float32([0.16, 0.09, 0.03]), (420, 1)),
        (0.55 + 0.4 * np.sin(9 * angle)).astype(np.float32),
        sh.astype(np.float32),
    )
    camera = Camera.look_at((1.2, -3.4, 6.2), (0, 0, 0), fov=52, size=SIZE)
    return Document(Document.of([cloud], ["knot"]).nodes, camera, (0.06, 0.07, 0.1))


def dust() -> Document:
    """A ball of specks, most of them smaller than a pixel: what antialiasing is for."""
    count = 6000
    i = np.arange(count) + 0.5
    z = 1 - 2 * i / count
    turn = i * (np.pi * (3 - np.sqrt(5)))
    ring = np.sqrt(1 - z * z)
    means = np.stack([ring * np.cos(turn), z, ring * np.sin(turn)], axis=1)
    sizes = 0.002 + 0.011 * (i[:, None] % 7 / 7) ** 2
    cloud = SplatCloud(
        means.astype(np.float32),
        np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        np.tile(sizes, 3).astype(np.float32),
        np.full(count, 0.9, np.float32),
        sh_from_colors(rainbow(0.5 * z + 0.1 * np.sin(turn)))[:, None],
        model="antialiased",
    )
    # Off the middle and nearly through the ball, so that the Jacobian's limit is reached.
    camera = Camera.look_at((0.4, -0.5, 1.9), (0, 0, 0), fov=62, size=SIZE)
    camera = replace(camera, cx=70.0, cy=64.5)
    return Document(Document.of([cloud], ["dust"]).nodes, camera, (0.0, 0.0, 0.0))


def parallel() -> Document:
    """Crossed discs and needles through a parallel camera, on paper white."""
    rng = np.random.default_rng(3)
    quats = rng.normal(size=(60, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    cloud = SplatCloud(
        rng.uniform(-1, 1, (60, 3)).astype(np.float32),
        quats.astype(np.float32),
        np.where(np.arange(60)[:, None] % 2, [[0.3, 0.22, 0.004]], [[0.5, 0.015, 0.01]]).astype(
            np.float32
        ),
        rng.uniform(0.3, 1.0, 60).astype(np.float32),
        sh_from_colors(rainbow(np.arange(60) / 60))[:, None],
    )
    camera = Camera.orthographic((2, -1.5, 3), (0, 0, 0), height_in_world=2.9, size=SIZE)
    return Document(Document.of([cloud], ["parallel"]).nodes, camera, (0.96, 0.95, 0.92))


def ring() -> Document:
    """A twisted square ring with painted stripes, as surfels under the studio lights."""
    around, edge = 72, 24
    u, v = np.meshgrid(np.arange(around) / around, np.arange(edge) / edge, indexing="ij")
    # A rounded square, turned once by a quarter while it goes round.
    a = 2 * np.pi * v
    turned = a + 0.5 * np.pi * u
    reach = 0.42 / np.maximum(np.abs(np.cos(a)), np.abs(np.sin(a))) ** 0.8
    radius = 1 + reach * np.cos(turned)
    phi = 2 * np.pi * u
    points = np.stack([radius * np.cos(phi), reach * np.sin(turned), radius * np.sin(phi)], -1)
    index = np.arange(around * edge).reshape(around, edge)
    # After one round the square has turned by a quarter: row 0 is met a quarter of it further on.
    below = np.roll(index, -1, axis=0)
    below[-1] = np.roll(index[0], -edge // 4)
    right, corner = np.roll(index, -1, axis=1), np.roll(below, -1, axis=1)
    triangles = np.concatenate(
        [
            np.stack([index, below, corner], -1).reshape(-1, 3),
            np.stack([index, corner, right], -1).reshape(-1, 3),
        ]
    )
    stripes = rainbow((6 * u).ravel()) * 0.7 + 0.25 * (np.floor(12 * u).ravel() % 2)[:, None]
    mesh = Mesh(points.reshape(-1, 3), triangles, colors=np.clip(stripes, 0, 1), name="ring")
    cloud = surfels_from_mesh(mesh, 5000, occlusion=None, shadows=False, seed=2).cloud
    camera = Camera.look_at((1.1, -2.3, 3.0), (0, 0, 0), fov=42, size=SIZE)
    return Document(Document.of([cloud], ["ring"]).nodes, camera, (0.12, 0.13, 0.15))
