"""Lips that close whole: what a rig's mouthClose leaves open is solved for and mended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.rigs.mouth import Mouth, column_places, crossing, find_mouth, skin_of
from polyorama.face.rigs.packages import sparse_tools
from polyorama.face.rigs.parts import welded
from polyorama.scene.faces.morphs import Corrective, MorphRig, Shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LIP_SEAL", "with_seal"]

LIP_SEAL = "lipSeal"
"""The shape that jawOpen and mouthClose together call in."""

_OPENINGS = tuple(i / 8 for i in range(1, 9))
_COLUMNS = 41
_REST_PASSES, _PASSES = 3, 4
_STRONG = 1.0
_REACH = 0.55
_WORTH = 1e-3
"""A shape that adds less than this share of the mouth's width is not worth having."""
_TOUCH = -0.001
"""Where the lips shall meet, in widths of the mouth: just pressed together."""


def with_seal(rig: MorphRig) -> MorphRig:
    """A rig whose lips meet wherever mouthClose is as large as jawOpen, and nearly the same else.

    Fields of offsets are sought on the skin around the mouth: first b on the mesh at rest, which
    closes what is open there; then c on mouthClose, and p on a shape that is called in by
    jawOpen x mouthClose. At an opening a these move the lips by a c + a^2 p. Among all fields that
    let the lips meet in every column at every opening, the smoothest are taken: the least of
    |L c|^2 + |L p|^2, with L the umbrella Laplacian of the mesh, so that a mend spreads over the
    lips and fades. To meet is to lie as at rest, neither apart nor one lip in or behind the other.

    Raises
    ------
    UsageError
        If the rig has no jaw that opens a mouth.
    UnavailableError
        If scipy is not installed.
    """
    mouth = find_mouth(rig)
    rest = rig.mesh.vertices.astype(np.float64)
    shapes = {name: rig.shapes.dense(name, len(rest)) for name in rig.shapes.names}
    if "mouthClose" not in shapes:
        shapes["mouthClose"] = _first_closing(rig, mouth)
    base, linear = rest.copy(), shapes["mouthClose"].astype(np.float64)
    product = shapes[LIP_SEAL].astype(np.float64) if LIP_SEAL in shapes else np.zeros_like(rest)
    area, smooth = _around(rig, mouth)
    # The rest first: what closing aims at is how the lips lie there.
    for step in range(_REST_PASSES + _PASSES):
        at_rest = step < _REST_PASSES
        mended = _assembled(rig, base, shapes, linear, product, mouth.width)
        rows = _conditions(mended, mouth, area, (0.0,) if at_rest else _OPENINGS)
        if rows is None:
            continue
        targets = (base,) if at_rest else (linear, product)
        for field, target in zip(_solved(smooth, rows), targets, strict=True):
            target[area.vertices, 1:] += field[area.places]
    return _assembled(rig, base, shapes, linear, product, mouth.width)


class _Area:
    """Skin about the mouth: its vertices, and which unknown each of them is (-1 elsewhere)."""

    def __init__(self, vertices: NDArray[np.int64], own: NDArray[np.int64]) -> None:
        self.vertices = vertices
        _, inverse = np.unique(own[vertices], return_inverse=True)
        self.places = inverse.reshape(-1)
        self.of = np.full(len(own), -1, np.int64)
        self.of[vertices] = self.places
        # Doubles of one place are one unknown; the one that stands for them may lie outside.
        self.of[own[vertices]] = self.places
        self.count = int(self.places.max()) + 1


def _around(rig: MorphRig, mouth: Mouth) -> tuple[_Area, Any]:
    """The area that may be mended, and L^T L on it, vertices outside it being held."""
    sparse, spatial = sparse_tools("sparse"), sparse_tools("spatial")
    rest = rig.mesh.vertices
    skin = skin_of(rig)
    seam = rest[np.unique(mouth.pairs)]
    distance = spatial.cKDTree(seam).query(rest[skin])[0]
    own = welded(rest)
    lips = np.union1d(mouth.upper, mouth.lower)
    area = _Area(np.union1d(skin[distance < _REACH * mouth.width], lips), own)
    # Rows of L for every vertex that has a neighbour inside: so the field also fades smoothly out.
    t = own[rig.mesh.triangles]
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    both = np.concatenate([edges, edges[:, ::-1]])
    touched = area.of[both]
    count = len(rest)
    degree = np.bincount(both[:, 0], minlength=count)
    off = touched[:, 1] >= 0
    entries = sparse.coo_matrix(
        (-1.0 / degree[both[off, 0]], (both[off, 0], touched[off, 1])), (count, area.count)
    )
    inside = np.unique(own[area.vertices])
    entries = entries + sparse.coo_matrix(
        (np.ones(len(inside)), (inside, area.of[inside])), (count, area.count)
    )
    laplacian = entries.tocsr()
    # A little of the field's own size: without it, what is free of conditions could drift.
    return area, (laplacian.T @ laplacian + 1e-6 * sparse.identity(area.count)).tocsc()


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Conditions A f = g on fields f: (n, 2) heights and depths that they must add to the lips."""

    matrix: Any
    wanted: NDArray[np.float64]


def _conditions(
    rig: MorphRig, mouth: Mouth, area: _Area, openings: tuple[float, ...]
) -> _Rows | None:
    """A row for every column at every opening: how far the lips lie from where they should."""
    touch = _TOUCH * mouth.width
    contacts = _contacts(mouth, rig.mesh.vertices)
    places, values, rows = [], [], []
    wanted: list[NDArray[np.float64]] = []
    orders = (0,) if openings == (0.0,) else (1, 2)
    for opening in openings:
        posed = rig.posed({"jawOpen": opening, "mouthClose": opening}, head=False)
        missing: list[tuple[float, float]] = []
        for contact in contacts:
            for field, order in enumerate(orders):
                places.append(area.of[contact.ends] + field * area.count)
                values.append(contact.shares * opening**order)
                rows.extend([len(wanted) + len(missing)] * 4)
            _, height, depth = contact.shares @ posed[contact.ends]
            missing.append((min(contact.height, touch) - height, contact.depth - depth))
        wanted.extend(_along_the_lips(np.array(missing)))
    if not wanted:
        return None
    matrix = sparse_tools("sparse").coo_matrix(
        (np.concatenate(values), (rows, np.concatenate(places))),
        (len(wanted), len(orders) * area.count),
    )
    return _Rows(matrix.tocsr(), np.array(wanted))


@dataclass(frozen=True, slots=True, eq=False)
class _Contact:
    """Two points of the lips in one column: ends and shares of their edges, and lower less upper.

    `shares` times the ends' places is lower less upper; `height` is its y, `depth` its z.
    """

    ends: NDArray[np.int32]
    shares: NDArray[np.float64]
    height: float
    depth: float


def _contacts(mouth: Mouth, rest: NDArray[np.floating]) -> list[_Contact]:
    """Where the lips meet at rest: the same points of the skin shall meet at every closure."""
    found = []
    for x in column_places(mouth, rest, _COLUMNS):
        above, s, _ = crossing(rest, mouth.upper_edges, x, 1.0)
        below, t, _ = crossing(rest, mouth.lower_edges, x, -1.0)
        if above < 0 or below < 0:
            continue
        ends = np.concatenate([mouth.upper_edges[above], mouth.lower_edges[below]])
        shares = np.array([s - 1.0, -s, 1.0 - t, t])
        _, height, depth = shares @ rest[ends]
        found.append(_Contact(ends, shares, float(height), float(depth)))
    return found


def _along_the_lips(wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """What columns want, without the jitter of edges that are crossed here and there."""
    for _ in range(4):
        padded = np.concatenate([wanted[:1], wanted, wanted[-1:]])
        wanted = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return wanted


def _solved(smooth: Any, rows: _Rows) -> list[NDArray[np.float64]]:
    """The smoothest fields that meet the conditions, each (n, 2).

    The conditions enter as a penalty that is strong beside the smoothness of a field: its normal
    equations are (S + w A^T A) f = w A^T g.
    """
    sparse, solvers = sparse_tools("sparse"), sparse_tools("sparse.linalg")
    a = rows.matrix
    count = a.shape[1] // smooth.shape[0]
    system = sparse.block_diag([smooth] * count) + _STRONG * (a.T @ a)
    factor = solvers.splu(
        system.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )  # fmt: skip
    return np.split(factor.solve(_STRONG * (a.T @ rows.wanted)), count)


def _assembled(
    rig: MorphRig,
    base: NDArray[np.float64],
    shapes: dict[str, NDArray[np.float32]],
    linear: NDArray[np.float64],
    product: NDArray[np.float64],
    width: float,
) -> MorphRig:
    dense = {name: offsets for name, offsets in shapes.items() if name != LIP_SEAL}
    dense["mouthClose"] = linear.astype(np.float32)
    least = 1e-6 * float(np.ptp(base, axis=0).max())
    correctives = tuple(c for c in rig.correctives if c.shape != LIP_SEAL)
    if np.abs(product).max() > _WORTH * width:
        dense[LIP_SEAL] = product.astype(np.float32)
        correctives += (Corrective(LIP_SEAL, ("jawOpen", "mouthClose")),)
    mesh = replace(rig.mesh, vertices=base.astype(np.float32))
    return replace(rig, mesh=mesh, shapes=Shapes.of_dense(dense, least), correctives=correctives)


def _first_closing(rig: MorphRig, mouth: Mouth) -> NDArray[np.float32]:
    """A mouthClose for a rig without one: around the mouth the jaw's opening is taken back."""
    spatial = sparse_tools("spatial")
    rest = rig.mesh.vertices
    opened = rig.posed({"jawOpen": 1.0}, head=False) - rest
    skin = skin_of(rig)
    distance = spatial.cKDTree(rest[np.unique(mouth.pairs)]).query(rest[skin])[0]
    share = np.clip(1.0 - distance / (0.9 * mouth.width), 0.0, 1.0)
    closing = np.zeros_like(rest)
    closing[skin] = -(share * share * (3.0 - 2.0 * share))[:, None] * opened[skin]
    if not np.any(closing):
        raise UsageError(f"The jaw of {rig.name!r} does not open.")
    return closing.astype(np.float32)
