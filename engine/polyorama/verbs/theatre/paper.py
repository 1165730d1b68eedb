"""What makes a painted sheet a piece of paper: a back, and cut edges one can see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.verbs.theatre.paint import blurred, hex_color, mix
from polyorama.verbs.theatre.stipple import SIGMA, Dabs

if TYPE_CHECKING:
    from polyorama.verbs.theatre.sheets import Sheet

__all__ = ["backed", "rim"]

Array = Any

_THICKEST = 0.03
"""Thicker boards have a frame, or nobody to see their edge."""

_CARD = hex_color("#a58763")


def backed(sheet: Sheet) -> Sheet:
    """The back of a sheet: paper painted on both sides, or a thick board's bare card.

    Thin paper seen from the side shows dabs of its back between those of its front, as they are
    sorted by their middles: they must not differ.
    """
    thin = sheet.thickness <= _THICKEST
    color = sheet.color
    if not thin:
        soft = blurred(color, 4.0) if min(color.shape[:2]) > 12 else color
        color = mix(soft, _CARD, np.full(soft.shape[:2], 0.75))
    return replace(
        sheet,
        points=sheet.points - sheet.normals * sheet.thickness,
        normals=-sheet.normals,
        color=color,
        glow=sheet.glow if thin else None,
        gloss=0.0,
        velvet=0.0,
        thickness=0.0,
        coarse=1.5 if thin else 2.4,
        lit=sheet.lit if thin else 1.0,
        casts=False,
    )


def rim(sheet: Sheet) -> Dabs | None:
    """Dabs on the cut edge of an upright board, or None where there is no outline."""
    if sheet.mask is None or sheet.thickness > _THICKEST:
        return None
    inside = sheet.mask > 0.5
    padded = np.pad(inside, 1, constant_values=False)
    walled = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    i, j = np.nonzero(inside & ~walled)
    down, right = np.gradient(blurred(sheet.mask, 1.5))
    out = np.stack([-right[i, j], down[i, j], np.zeros(len(i))], axis=1)
    length = np.linalg.norm(out, axis=1)
    points = sheet.points[i, j]
    # Grass and other thin tips have no edge worth showing.
    broad = blurred(sheet.mask, 3.0)[i, j] > 0.36
    kept = _spread(points, 0.75 * sheet.thickness) & (length > 1e-6) & broad
    if not kept.any():
        return None
    i, j, out = i[kept], j[kept], out[kept] / length[kept, None]
    front = np.array([0.0, 0.0, 1.0])
    along = np.cross(out, front)
    frames = np.stack([along, np.cross(out, along), out], axis=2)
    count = len(i)
    zeros = np.zeros(count)
    return Dabs(
        means=points[kept] - front * (sheet.thickness / 2),
        frames=frames,
        sigmas=np.tile([SIGMA * 0.8 * sheet.thickness, 0.36 * sheet.thickness], (count, 1)),
        color=mix(sheet.color[i, j], hex_color("#efe2c6"), np.full(count, 0.35)),
        glow=np.zeros((count, 3)),
        gloss=zeros,
        metal=zeros,
        velvet=zeros,
        lit=np.full(count, sheet.lit),
    )


def _spread(points: Array, apart: float) -> Array:
    """(N,) bool: the points that are kept so that each cell of a grid has one."""
    cell = np.floor(points / apart).astype(np.int64)
    _, first = np.unique(cell, axis=0, return_index=True)
    kept = np.zeros(len(points), bool)
    kept[first] = True
    return kept
