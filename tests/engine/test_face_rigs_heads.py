"""A small head made by formula, for tests of rigs; and that its mouth is found."""

from __future__ import annotations

import numpy as np

from polyorama.face.rigs.mouth import find_mouth, lip_gaps
from polyorama.scene.faces.morphs import MorphRig, Shapes
from polyorama.scene.mesh import Mesh

AROUND, DOWN, MOUTH_ROW, HALF_SLIT = 48, 40, 26, 5
GAP = 0.01


def head_arrays() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Vertices, triangles, shapes and regions of an egg with a nose and a slit for a mouth.

    Up is -y, it looks along +z, its own left is -x.
    """
    theta = np.linspace(0.02, np.pi - 0.02, DOWN)
    phi = np.arange(AROUND) * 2 * np.pi / AROUND - np.pi  # 0 looks along +z
    grid_theta, grid_phi = np.meshgrid(theta, phi, indexing="ij")
    x = 0.75 * np.sin(grid_theta) * np.sin(grid_phi)
    y = -1.1 * np.cos(grid_theta)
    z = 0.9 * np.sin(grid_theta) * np.cos(grid_phi)
    z += 0.2 * np.exp(-((x / 0.12) ** 2) - ((y - 0.1) / 0.15) ** 2) * (z > 0)
    vertices = np.stack([x, y, z], -1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(DOWN, AROUND)
    middle = AROUND // 2
    slit = np.arange(middle - HALF_SLIT + 1, middle + HALF_SLIT)
    lower_row = number[MOUTH_ROW].copy()
    lower_row[slit] = len(vertices) + np.arange(len(slit))
    vertices = np.concatenate([vertices, vertices[number[MOUTH_ROW, slit]]])
    vertices[lower_row[slit], 1] += GAP
    triangles = []
    for row in range(DOWN - 1):
        above = lower_row if row == MOUTH_ROW else number[row]
        below = number[row + 1]
        for k in range(AROUND):
            n = (k + 1) % AROUND
            triangles += [(above[k], above[n], below[k]), (above[n], below[n], below[k])]
    triangles = np.array(triangles)
    lower = np.zeros(len(vertices), bool)
    lower[number[MOUTH_ROW + 1 :].ravel()] = lower[lower_row[slit]] = True
    across = np.arctan2(vertices[:, 0], vertices[:, 2]) / (2 * np.pi / AROUND * HALF_SLIT)
    front = np.clip(1.0 - across**2, 0.0, None) * np.clip(vertices[:, 2] / 0.4, 0.0, 1.0)
    jaw = np.zeros_like(vertices)
    jaw[lower, 1] = 0.3 * front[lower]
    jaw[lower, 2] = -0.1 * front[lower]
    close = np.zeros_like(jaw)
    rows = np.zeros(len(vertices))
    for step in range(4):
        rows[number[MOUTH_ROW + step]] = 1.0 - 0.25 * step
    rows[lower_row[slit]] = 1.0
    close[lower] = -0.7 * rows[lower, None] * jaw[lower]
    shapes = {"jawOpen": jaw, "mouthClose": close}
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        smile = np.zeros_like(jaw)
        near = np.exp(-((vertices - [sign * 0.35, 0.5, 0.7]) ** 2).sum(1) / 0.03)
        smile[:, 0], smile[:, 1] = 0.08 * sign * near, -0.1 * near
        shapes[f"mouthSmile{side}"] = np.where(near[:, None] > 0.01, smile, 0.0)
    slits = {"upper": number[MOUTH_ROW, slit], "lower": lower_row[slit]}
    return vertices.astype(np.float32), triangles, shapes, slits


def head() -> MorphRig:
    """The head as a rig without regions and landmarks."""
    vertices, triangles, shapes, _ = head_arrays()
    mesh = Mesh(vertices, triangles, name="egg")
    return MorphRig(mesh=mesh, shapes=Shapes.of_dense(shapes), name="egg")


def test_the_mouth_is_found_from_how_it_comes_apart() -> None:
    _, _, _, slits = head_arrays()
    rig = head()
    mouth = find_mouth(rig)
    assert set(slits["upper"][1:-1]) <= set(mouth.upper)
    assert set(slits["lower"][1:-1]) <= set(mouth.lower)
    right, left = rig.mesh.vertices[mouth.corners]
    assert right[0] > 0.2 > -0.2 > left[0]  # own left is -x
    for upper, lower in mouth.pairs:
        assert upper in slits["upper"]
        assert lower in slits["lower"]
    xs = rig.mesh.vertices[mouth.pairs[:, 0], 0]
    assert (np.diff(xs) <= 1e-6).all()


def test_gaps_are_those_of_a_slow_reference() -> None:
    rig = head()
    mouth = find_mouth(rig)
    posed = rig.posed({"jawOpen": 0.6}).astype(np.float64)
    fast = lip_gaps(mouth, posed, 9)
    ends = posed[mouth.pairs[0], 0].min(), posed[mouth.pairs[-1], 0].max()
    places = np.linspace(*ends, 9)
    for x, got in zip(places, fast, strict=True):
        heights: dict[str, list[float]] = {"upper": [], "lower": []}
        for lip, edges in (("upper", mouth.upper_edges), ("lower", mouth.lower_edges)):
            for i, j in edges:
                a, b = posed[i], posed[j]
                if (a[0] - x) * (b[0] - x) > 0:
                    continue
                if a[0] == b[0]:
                    heights[lip] += [a[1], b[1]]
                    continue
                share = (x - a[0]) / (b[0] - a[0])
                heights[lip].append(a[1] + share * (b[1] - a[1]))
        if not heights["upper"] or not heights["lower"]:
            assert np.isnan(got)
            continue
        assert abs(min(heights["lower"]) - max(heights["upper"]) - got) < 1e-9
    assert np.isfinite(fast).sum() >= 7
