"""Any head made a rig: a template is laid onto it, and all its shapes are carried over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.face.rigs.building import LEAST, MAX_VERTICES
from polyorama.face.rigs.closest import Nearest, Surface, vertex_normals
from polyorama.face.rigs.mouth import skin_of
from polyorama.face.rigs.packages import sparse_tools
from polyorama.face.rigs.parts import components, rigid_motion, sphere_of, welded
from polyorama.face.rigs.registration import Similarity, aligned, bent
from polyorama.face.rigs.seal import with_seal
from polyorama.face.rigs.transfer import Gradients, Transfer
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.mesh import Mesh

__all__ = ["fitted_rig"]

_TURNED = np.radians(15.0)
"""A head that is turned by less than this stays as it is."""

_WELL = 0.8
"""Share of a tongue's vertices that must match for it to bend as the template's does."""

_WORST_ALIGNED, _WORST_BENT, _FEWEST = 0.16, 0.012, 0.55
"""Shares of the head's size that a head is never apart from a template, and of its matches."""


def fitted_rig(
    mesh: Mesh, template: MorphRig, landmarks: NDArray[np.integer] | None = None
) -> Job[MorphRig]:
    """A rig of a mesh that has no shapes: those of a template, carried over; a job.

    The template's skin is aligned with the largest piece of the mesh and bent onto it
    (`registration`), smaller pieces such as eyeballs and teeth are matched with what of the
    template comes to lie there, and every shape is carried over by deformation transfer
    (`transfer`). Eyeballs turn about their own centres; the lips are mended to close. A mesh that
    lies otherwise is turned to the axes of rigs. Channels that in the template mostly turn parts
    which the mesh does not have, such as lids that are shells of their own, are left out, so that
    they count as missing.

    Parameters
    ----------
    mesh
        A head, perhaps with neck and shoulders, of any size and turned anyhow.
    template
        The puppet, ICT-FaceKit or another rig.
    landmarks
        (n, 2) vertices of the template and of the mesh that belong together, at least three: for
        heads that are not found without.

    Raises
    ------
    UsageError
        If the mesh is no head, or landmarks are out of range.
    UnavailableError
        If scipy is not installed.
    """
    fit = yield from _laid(mesh, template, landmarks)
    mesh, found = fit.mesh, fit.found
    count, names = len(mesh.vertices), template.shapes.names
    matched = found.facing & (found.distance < 0.03 * fit.size)
    corner = template.mesh.triangles[found.triangle]

    def carried(values: NDArray[np.floating]) -> NDArray[np.float64]:
        """What the template has at its vertices, at the vertices of the mesh."""
        shares = np.where(matched[:, None], found.shares, 0.0)
        return np.asarray(np.einsum("vc,vcd->vd", shares, values[corner]), np.float64)

    moving = np.zeros((len(template.mesh.vertices), 1))
    moving[np.unique(template.shapes.indices)] = 1.0
    free = carried(moving)[:, 0] > 0.0
    # Neighbours of what moves move along; a few rings let a shape fade where matches end.
    t = mesh.triangles
    for _ in range(3):
        grown = free[t].any(axis=1)
        free = free | np.isin(np.arange(count), t[grown])
    transfer = Transfer(mesh.vertices, t, fit.triangle_matched, free, matched)
    rotation, scale = fit.place.rotation, fit.place.scale
    rest = template.mesh.vertices.astype(np.float64)
    gradients = Gradients(rest, template.mesh.triangles)
    rigid = _rigid_pieces(template, fit, matched, corner)
    rotors = tuple(_rotor(r, mesh, fit, matched, corner, rigid) for r in template.rotors)
    lost = [old for old, new in zip(template.rotors, rotors, strict=True) if not len(new.indices)]
    names = tuple(name for name in names if not _mostly_turns(template, name, lost))
    offsets = {}
    for at, name in enumerate(names):
        yield Progress(at, len(names), "Carrying shapes over")
        dense = template.shapes.dense(name, len(rest)).astype(np.float64)
        turned = rotation @ gradients(dense)[fit.triangle_of] @ rotation.T
        turned[~fit.triangle_matched] = np.eye(3)
        offsets[name] = transfer(turned, scale * carried(dense) @ rotation.T)
        for row, piece in rigid:
            offsets[name][piece] = _rigidly(rest[row], dense[row], mesh.vertices[piece], fit.place)
    regions = {n: _near(ids, found, matched, corner) for n, ids in template.regions.items()}
    rig = MorphRig(
        mesh=mesh,
        shapes=Shapes.of_dense(offsets, LEAST * fit.size),
        rotors=tuple(rotor for rotor in rotors if len(rotor.indices)),
        correctives=tuple(c for c in template.correctives if c.shape in offsets),
        regions=regions,
        landmarks={n: _vertices_at(ids, mesh, fit) for n, ids in template.landmarks.items()},
        name=mesh.name,
        credit=f"Shapes of {template.name}. {template.credit}",
    )
    yield Progress(len(names), len(names), "Mending the lips")
    return with_seal(rig) if "jawOpen" in rig.channels else rig


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Where a template lies on a mesh.

    Parameters
    ----------
    mesh
        The head, turned to the axes of rigs.
    place
        From the template to the mesh.
    template
        (V, 3) the template's vertices, bent.
    found
        For each vertex of the mesh, where on the template it lies.
    triangle_of, triangle_matched
        For each triangle of the mesh, that of the template, and whether it is one.
    pieces
        (V,) which piece each vertex of the mesh belongs to.
    size
        Of the head, units of the mesh.
    """

    mesh: Mesh
    place: Similarity
    template: NDArray[np.float64]
    found: Nearest
    triangle_of: NDArray[np.int64]
    triangle_matched: NDArray[np.bool_]
    pieces: NDArray[np.int32]
    size: float


def _laid(mesh: Mesh, template: MorphRig, landmarks: NDArray[np.integer] | None) -> Job[_Fit]:
    yield Progress(0, 0, "Finding how the head lies")
    points, triangles = mesh.vertices.astype(np.float64), mesh.triangles
    if len(points) > MAX_VERTICES:
        raise UsageError(f"The head has {len(points):,} vertices, too many; decimate it first.")
    if len(triangles) < 200 or not np.isfinite(points).all():
        raise UsageError("The mesh is too coarse, or not finite; a head needs 200 triangles.")
    pairs = _checked(landmarks, len(template.mesh.vertices), len(points))
    own = welded(points)
    pieces = components(own[triangles], len(points))[own]
    surfaces = np.bincount(pieces[triangles[:, 0]], minlength=int(pieces.max()) + 1)
    main = int(surfaces.argmax())
    skin = skin_of(template)
    inside = np.zeros(len(template.mesh.vertices), bool)
    inside[skin] = True
    rest = template.mesh.vertices.astype(np.float64)
    ends = None if pairs is None else (rest[pairs[:, 0]], points[pairs[:, 1]])
    place = aligned(rest[skin], points[np.unique(triangles[pieces[triangles[:, 0]] == main])], ends)
    if np.trace(place.rotation) < 1.0 + 2.0 * np.cos(_TURNED):
        points = points @ place.rotation
        shift = place.rotation.T @ place.shift
        place = Similarity(place.scale, np.eye(3), shift, place.residual)
        mesh = replace(mesh, vertices=points.astype(np.float32))
    size = place.scale * float(np.ptp(rest[skin], axis=0).max())
    problem = (
        f"The mesh {mesh.name!r} does not look like a head; cut everything else away, or give "
        "three or more landmarks"
    )
    if pairs is None and place.residual > _WORST_ALIGNED:
        raise UsageError(f"{problem} (it stays {place.residual:.0%} of its size apart).")
    number = np.full(len(rest), -1)
    number[skin] = np.arange(len(skin))
    faces = number[template.mesh.triangles[inside[template.mesh.triangles].all(axis=1)]]
    marks = None
    if pairs is not None:
        on_skin = inside[pairs[:, 0]]
        marks = (number[pairs[on_skin, 0]], points[pairs[on_skin, 1]])
    surface = Surface(points, triangles[pieces[triangles[:, 0]] == main])
    lying, hits = yield from bent(place(rest[skin]), faces, surface, size, marks)
    away = surface.nearest(lying, vertex_normals(lying, faces)).distance
    if hits.mean() < _FEWEST or np.median(away) > _WORST_BENT * size:
        raise UsageError(f"{problem} ({hits.mean():.0%} of a head was found on it).")
    bent_all = place(rest)
    moved = lying - bent_all[skin]
    others = np.flatnonzero(~inside)
    if len(others):
        # Teeth and eyeballs go along with the skin around them.
        near = sparse_tools("spatial").cKDTree(bent_all[skin]).query(bent_all[others], k=12)
        share = 1.0 / (near[0] + 0.01 * size)
        bent_all[others] += np.einsum("nk,nkd->nd", share / share.sum(1, keepdims=True),
                                      moved[near[1]])  # fmt: skip
    bent_all[skin] = lying
    on_main = pieces[triangles[:, 0]] == main
    skin_faces = np.asarray(inside[template.mesh.triangles].all(axis=1), np.bool_)
    vertex = _matches(
        points, vertex_normals(points, triangles), pieces == main,
        bent_all, template.mesh.triangles, skin_faces,
    )  # fmt: skip
    centres = points[triangles].mean(axis=1)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    face = _matches(centres, normals, on_main, bent_all, template.mesh.triangles, skin_faces)
    good = face.facing & (face.distance < 0.03 * size)
    return _Fit(mesh, place, bent_all, vertex, face.triangle, good, pieces, size)


def _checked(
    landmarks: NDArray[np.integer] | None, template: int, mesh: int
) -> NDArray[np.int64] | None:
    if landmarks is None:
        return None
    pairs = np.asarray(landmarks, np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) < 3:
        raise UsageError("Landmarks are pairs of vertices, of the template and of the mesh, 3 up.")
    if pairs.min() < 0 or pairs[:, 0].max() >= template or pairs[:, 1].max() >= mesh:
        raise UsageError("A landmark names a vertex that is not there.")
    return pairs


def _matches(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    on_main: NDArray[np.bool_],
    template: NDArray[np.float64],
    triangles: NDArray[np.integer],
    skin: NDArray[np.bool_],
) -> Nearest:
    """Nearest points of the template: of its skin for the main piece, of the rest for others."""
    found = None
    for chosen, part in ((on_main, skin), (~on_main, ~skin if (~skin).any() else skin)):
        ids = np.flatnonzero(part)
        here = Surface(template, triangles[ids]).nearest(points[chosen], normals[chosen])
        if found is None:
            n = len(points)
            found = Nearest(np.zeros(n, np.int64), np.zeros((n, 3)), np.zeros((n, 3)),
                            np.zeros(n), np.zeros(n, bool))  # fmt: skip
        found.triangle[chosen] = ids[here.triangle]
        for name in ("shares", "points", "distance", "facing"):
            getattr(found, name)[chosen] = getattr(here, name)
    assert found is not None
    return found


def _near(
    ids: NDArray[np.int32], found: Nearest, matched: NDArray[np.bool_], corner: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Vertices of the mesh whose nearest corner of the template is one of `ids`."""
    nearest = corner[np.arange(len(corner)), found.shares.argmax(axis=1)]
    return np.flatnonzero(matched & np.isin(nearest, ids)).astype(np.int32)


def _vertices_at(ids: NDArray[np.int32], mesh: Mesh, fit: _Fit) -> NDArray[np.int32]:
    tree = sparse_tools("spatial").cKDTree(mesh.vertices)
    return np.asarray(tree.query(fit.template[ids])[1], np.int32)


def _mostly_turns(template: MorphRig, channel: str, rotors: list[Rotor]) -> bool:
    """Whether more than half of what a channel moves in a template belongs to given rotors."""
    own = [rotor.indices for rotor in rotors if channel in rotor.channels]
    if not own:
        return False
    rest = template.mesh.vertices
    moved = np.linalg.norm(template.posed({channel: 1.0}, head=False) - rest, axis=1)
    return bool(moved[np.unique(np.concatenate(own))].sum() > 0.5 * moved.sum())


Parts = tuple["NDArray[np.int32]", "NDArray[np.int64]"]
"""What moves as one: its vertices in the template and in the mesh."""


def _rigid_pieces(
    template: MorphRig, fit: _Fit, matched: NDArray[np.bool_], corner: NDArray[np.int32]
) -> list[Parts]:
    """Pieces of the mesh that lie on a row of teeth, or poorly on the tongue.

    Two people's teeth match poorly, point by point, but a row of them moves as one; and a tongue
    of which only some points are carried along would be torn to ridges.
    """
    region = np.zeros(len(template.mesh.vertices), np.int64)
    names = [n for n in ("upperTeeth", "lowerTeeth", "tongue") if n in template.regions]
    rows = [template.regions[name] for name in names]
    for number, row in enumerate(rows, 1):
        region[row] = number
    nearest = region[corner[np.arange(len(corner)), fit.found.shares.argmax(axis=1)]]
    main = np.bincount(fit.pieces).argmax()
    found: list[Parts] = []
    for piece in np.unique(fit.pieces[matched & (nearest > 0) & (fit.pieces != main)]):
        ids: NDArray[np.int64] = np.flatnonzero(fit.pieces == piece)
        votes = np.bincount(nearest[ids[matched[ids]]], minlength=len(rows) + 1)
        best = int(votes.argmax())
        if best > 0 and (names[best - 1] != "tongue" or matched[ids].mean() < _WELL):
            found.append((rows[best - 1], ids))
    return found


def _rigidly(
    rest: NDArray[np.float64],
    offsets: NDArray[np.float64],
    points: NDArray[np.floating],
    place: Similarity,
) -> NDArray[np.float64]:
    """(n, 3) offsets of points of the mesh that move as one, as a part of the template does."""
    turn, shift = rigid_motion(rest, rest + offsets)
    there = (points - place.shift) @ place.rotation / place.scale
    moved = there @ turn.T + shift - there
    return np.asarray(place.scale * moved @ place.rotation.T, np.float64)


def _rotor(
    rotor: Rotor,
    mesh: Mesh,
    fit: _Fit,
    matched: NDArray[np.bool_],
    corner: NDArray[np.int32],
    rigid: list[Parts],
) -> Rotor:
    """A part that turns: its vertices by what they match, its pivot where the template's goes."""
    amounts = np.zeros(len(fit.template))
    amounts[rotor.indices] = rotor.amounts
    if rotor.name == "head":
        # The back of the head may match nothing, but it turns with the rest.
        near = sparse_tools("spatial").cKDTree(fit.template).query(mesh.vertices)[1]
        carried = amounts[near]
    else:
        shares = np.where(matched[:, None], fit.found.shares, 0.0)
        carried = np.einsum("vc,vc->v", shares, amounts[corner])
        for row, piece in rigid:
            carried[piece] = amounts[row].mean()
    ids = np.flatnonzero(carried > 1e-3)
    pivot = fit.place(rotor.pivot[None])[0]
    if rotor.name in ("leftEye", "rightEye"):
        # A whole ball is a piece of its own; skin that was drawn in by mistake is not.
        whole = [
            piece for piece in np.unique(fit.pieces[ids])
            if (fit.pieces[ids] == piece).sum() > 0.5 * (fit.pieces == piece).sum()
        ]  # fmt: skip
        ids = np.flatnonzero(np.isin(fit.pieces, whole))
        carried = np.ones(len(mesh.vertices))
        if len(ids) >= 4:
            pivot = sphere_of(mesh.vertices[ids])[0]
    turn = fit.place.rotation
    channels = {}
    for name, vector in rotor.channels.items():
        x, y, z = turn @ np.array(vector)
        channels[name] = (float(x), float(y), float(z))
    return replace(
        rotor, indices=ids.astype(np.int32), amounts=carried[ids].astype(np.float32), pivot=pivot,
        channels=channels,
    )  # fmt: skip
