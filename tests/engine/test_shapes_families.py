"""Shapes of vehicles, nature, animals, buildings, tools and the like, made by rule."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from polyorama.shapes.procedural.families import MODULES
from polyorama.shapes.procedural.family import FAMILIES, make_shape

_MODULES = MODULES[MODULES.index("vehicles") :]
_SEEDS = range(4)


def _declared() -> list[str]:
    """Names of families whose makers lie in these modules, in the order of the registry."""
    functions = {
        id(cell.cell_contents): name
        for name, family in FAMILIES.items()
        for cell in family.make.__closure__ or ()
        if callable(cell.cell_contents)
    }
    found = []
    for module in _MODULES:
        loaded = importlib.import_module(f"polyorama.shapes.procedural.families.{module}")
        found += [functions[id(v)] for v in vars(loaded).values() if id(v) in functions]
    return found


NAMES = _declared()


@pytest.mark.parametrize("name", NAMES)
def test_shapes_are_whole_and_said_exactly(name: str) -> None:
    words = FAMILIES[name].words
    shapes = [make_shape(name, seed) for seed in _SEEDS]
    for shape in shapes:
        mesh = shape.mesh
        assert mesh.colors is not None
        assert np.isfinite(mesh.vertices).all()
        assert np.isfinite(mesh.colors).all()
        assert mesh.colors.min() >= 0.0
        assert mesh.colors.max() <= 1.0
        assert 4 <= len(mesh.triangles) <= 6000
        assert mesh.triangles.min() >= 0
        assert mesh.triangles.max() < len(mesh.vertices)
        used = mesh.vertices[np.unique(mesh.triangles)]
        extent = np.ptp(used, axis=0)
        assert extent.min() > 0.004 * extent.max(), "flat"
        assert 6 <= len(set(shape.captions)) == len(shape.captions) <= 12
        assert shape.captions[0] == shape.name
        assert any(word in caption for caption in shape.captions for word in (*words, shape.name))
        assert all(c == c.strip() and "  " not in c for c in shape.captions)
    assert len({s.mesh.vertices.tobytes() + s.mesh.colors.tobytes() for s in shapes}) > 1
    assert len({s.captions for s in shapes}) > 1


@pytest.mark.parametrize("name", NAMES[::7])
def test_a_seed_gives_the_same_shape(name: str) -> None:
    one, two = make_shape(name, 11), make_shape(name, 11)
    assert np.array_equal(one.mesh.vertices, two.mesh.vertices)
    assert np.array_equal(one.mesh.triangles, two.mesh.triangles)
    assert np.array_equal(one.mesh.colors, two.mesh.colors)
    assert one.captions == two.captions
    assert one.attributes == two.attributes


@pytest.mark.parametrize("name", NAMES)
def test_clay_has_one_colour_and_says_none(name: str) -> None:
    shape = next(
        s for s in (make_shape(name, seed) for seed in range(80)) if s.attributes["look"] == "clay"
    )
    assert not {key for key in shape.attributes if key.startswith(("color", "material"))}
    # One grey, shaded neither by colour nor by height.
    assert np.ptp(shape.mesh.colors, axis=0).max() == 0.0
    assert np.ptp(shape.mesh.colors[0]) == 0.0


def test_there_are_many_families() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert len(NAMES) > 250
