"""Modifiers in plain float64, one splat after the other where that is plainer."""

import numpy as np

from polyorama.core.color import LUMA
from polyorama.scene.modify.colors import TOE
from polyorama.scene.modify.displace import LEAN
from polyorama.scene.modify.noise import FLOW
from polyorama.scene.sh import SH_C0
from tests.engine.reference import rotation

_WORD = (1 << 64) - 1


def blended(old, new, chosen, strength):
    """Old towards new where chosen."""
    mixed = old + strength * (new - old)
    shape = (len(old),) + (1,) * (old.ndim - 1)
    return np.where(chosen.reshape(shape), mixed, old)


def turn_about(degrees):
    """Rotation about x, then y, then z, from quaternions."""
    matrix = np.eye(3)
    for axis, angle in enumerate(np.radians(degrees) / 2.0):
        quat = np.zeros(4)
        quat[0], quat[1 + axis] = np.cos(angle), np.sin(angle)
        matrix = rotation(quat) @ matrix
    return matrix


def transform_matrix(m):
    """(4, 4): pivot to the origin, scale, turn, back, move."""
    to, back, scale, turn = np.eye(4), np.eye(4), np.eye(4), np.eye(4)
    to[:3, 3] = -np.asarray(m.pivot)
    back[:3, 3] = np.asarray(m.pivot) + m.strength * np.asarray(m.translation)
    scale[:3, :3] = np.diag(1.0 + m.strength * (np.asarray(m.scale) - 1.0))
    turn[:3, :3] = turn_about(m.strength * np.asarray(m.rotation))
    return back @ turn @ scale @ to


def moved(points, matrix):
    """Points by a (4, 4) matrix."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def graded(sh, m, chosen):
    """Coefficients after a Grade: each step by itself, on the base colour and on each band."""

    def linear(rgb):
        warm, magenta = m.temperature, m.tint
        red, green, blue = (
            2 ** (warm / 2 + magenta / 4),
            2 ** (-magenta / 2),
            2 ** (-warm / 2 + magenta / 4),
        )
        gains = np.array([red, green, blue])
        rgb = rgb * gains / (gains @ LUMA) * np.asarray(m.multiply)
        rgb = rgb * 2.0**m.exposure / (m.white - m.black)
        luma = (rgb @ LUMA)[..., None]
        chroma = rgb - luma
        axis = np.ones(3) / np.sqrt(3.0)
        angle = np.radians(m.hue)
        along = (chroma @ axis)[..., None] * axis
        turned = (
            along
            + np.cos(angle) * (chroma - along)
            + np.sin(angle) * np.cross(np.broadcast_to(axis, chroma.shape), chroma)
        )
        turned = turned - (turned @ LUMA)[..., None]
        return luma + m.saturation * turned

    old = sh.astype(np.float64)
    base = linear(0.5 + SH_C0 * old[:, 0] - m.black)
    power = 1.0 / m.gamma
    held = np.maximum(base, TOE)
    chord = TOE**power / TOE
    straight = (base <= TOE) | (power == 1.0)
    value = np.where(straight, base * (chord if power != 1.0 else 1.0), held**power)
    slope = np.where(straight, chord if power != 1.0 else 1.0, power * held ** (power - 1.0))
    new = linear(old) * slope[:, None]
    new[:, 0] = (value - 0.5) / SH_C0
    return blended(old, new, chosen, m.strength)


def filled(sh, m, chosen):
    """Coefficients after a Fill."""
    old = sh.astype(np.float64)
    color = np.asarray(m.color)
    new = np.zeros_like(old)
    if not m.shading:
        new[:, 0] = (color - 0.5) / SH_C0
        return blended(old, new, chosen, m.strength)
    pure = color / (color @ LUMA) if color @ LUMA > 0 else np.ones(3)
    for i in range(len(old)):
        luma = (0.5 + SH_C0 * old[i, 0]) @ LUMA
        share = 1.0
        # As deep as it can be with no channel above 1 (but no channel of grey is above it).
        if pure.max() > 1.0 + 1e-12 and luma * pure.max() > 1.0:
            share = max(0.0, (1.0 - luma) / (luma * (pure.max() - 1.0)))
        hue = 1.0 + share * (pure - 1.0)
        new[i] = np.outer(old[i] @ LUMA, hue)
        new[i, 0] = (luma * hue - 0.5) / SH_C0
    return blended(old, new, chosen, m.strength)


def leveled(sh, m, chosen):
    """Coefficients after an SHLevel, all bands kept."""
    old = sh.astype(np.float64)
    new = old.copy()
    at = 1
    for band in range(1, round(np.sqrt(sh.shape[1]))):
        share = min(max(m.level - band + 1.0, 0.0), 1.0)
        new[:, at : at + 2 * band + 1] *= share
        at += 2 * band + 1
    return blended(old, new, chosen, m.strength)


def depth(points, shape, matrix):
    """Distance from the surface of a unit form placed by `matrix`; boxes and planes by their faces,
    round forms by a search along the gradient's direction to first order."""
    inverse = np.linalg.inv(matrix)
    q = moved(points, inverse)
    if shape == "plane":
        normal = np.cross(matrix[:3, 2], matrix[:3, 0])  # of the plane y = 0
        normal = normal / np.linalg.norm(normal) * np.sign(normal @ matrix[:3, 1])
        return -(points - matrix[:3, 3]) @ normal
    if shape == "box":
        found = []
        for axis in range(3):
            u, v = matrix[:3, (axis + 1) % 3], matrix[:3, (axis + 2) % 3]
            normal = np.cross(u, v)
            normal = normal / np.linalg.norm(normal) * np.sign(normal @ matrix[:3, axis])
            for side in (-0.5, 0.5):
                face = matrix[:3, 3] + side * matrix[:3, axis]
                found.append((face - points) @ normal * np.sign(side))
        return np.min(found, axis=0)
    radius = np.linalg.norm(q, axis=1)
    step = 1e-6
    slope = np.stack(
        [
            np.linalg.norm(moved(points + step * np.eye(3)[a], inverse), axis=1)
            - np.linalg.norm(moved(points - step * np.eye(3)[a], inverse), axis=1)
            for a in range(3)
        ],
        axis=1,
    ) / (2.0 * step)
    return (0.5 - radius) / np.linalg.norm(slope, axis=1)


def cropped(points, opacities, m, shape, matrix, chosen):
    """Opacities after a Crop and which splats are gone."""
    d = depth(points, shape, matrix)
    kept = (d >= 0) != m.inverted
    t = np.clip(np.abs(d) / m.soft, 0.0, 1.0) if m.soft else np.ones(len(d))
    factor = np.where(kept, t**2 * (3.0 - 2.0 * t), 0.0)
    faded = opacities * (1.0 - m.strength * (1.0 - factor))
    gone = ~kept & chosen & (m.strength == 1.0)
    return np.where(chosen & ~gone, faded, opacities), gone


def _potentials(cell, seed):
    """Three numbers from -1 to 1 at a corner of the lattice in space and time."""
    odd = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
    h = (seed * 0xA0761D6478BD642F) & _WORD
    for c, factor in zip(cell, odd, strict=True):
        h ^= (int(c) * factor) & _WORD
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = ((h ^ (h >> 33)) * factor) & _WORD
    h ^= h >> 33
    return np.array([((h >> s) & 0x1FFFFF) / 2**20 - 1.0 for s in (0, 21, 42)])


def _potential_at(point, seed):
    """The potentials at a point (4,), by blending corners one axis after the other."""
    cell = np.floor(point)
    t = point - cell
    weight = 6 * t**5 - 15 * t**4 + 10 * t**3
    total = np.zeros(3)
    for corner in np.ndindex(2, 2, 2, 2):
        share = np.prod(np.where(corner, weight, 1.0 - weight))
        total += share * _potentials(cell + corner, seed)
    return total


def flow(point, seed):
    """The flow at a point (4,): the curl of the potentials by central differences."""
    step = 1e-5
    jacobian = np.stack(
        [
            (_potential_at(point + step * e, seed) - _potential_at(point - step * e, seed))
            / (2.0 * step)
            for e in np.eye(4)[:3]
        ],
        axis=1,
    )
    curl = FLOW * np.array(
        [
            jacobian[2, 1] - jacobian[1, 2],
            jacobian[0, 2] - jacobian[2, 0],
            jacobian[1, 0] - jacobian[0, 1],
        ]
    )
    return curl / np.sqrt(1.0 + curl @ curl)


def noise(points, m, time, chosen):
    """Points after a Noise."""
    out = points.copy()
    for i in np.flatnonzero(chosen):
        at = np.append(2.0 * m.frequency * points[i], m.speed * time)
        out[i] += m.strength * m.amplitude * flow(at, m.seed)
    return out


def wind(points, m, time, chosen):
    """Points after a Wind."""
    out = points.copy()
    up = np.asarray(m.up) / np.linalg.norm(m.up)
    ahead = np.asarray(m.direction) / max(np.linalg.norm(m.direction), 1e-300)
    for i in np.flatnonzero(chosen):
        height = np.clip((points[i] - m.root) @ up / m.reach, 0.0, 1.0)
        phase = m.frequency * time - points[i] @ ahead / m.wavelength
        gust = LEAN + (1.0 - LEAN) * np.sin(2.0 * np.pi * phase)
        carried = points[i] / m.wavelength - m.frequency * time * ahead
        restless = flow(np.append(carried, m.frequency * time), m.seed)
        sway = (1.0 - m.turbulence) * gust * ahead + m.turbulence * restless
        out[i] += m.strength * m.amplitude * height**2 * sway
    return out
