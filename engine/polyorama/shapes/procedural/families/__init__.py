"""The families of shapes, by subject; `polyorama.shapes.procedural.family` loads them."""

MODULES: tuple[str, ...] = (
    "furniture",
    "household",
    "kitchen",
    "appliances",
    "decoration",
    "food",
    "produce",
    "street",
    "vehicles",
    "animals",
    "creatures",
    "insects",
    "people",
    "nature",
    "plants",
    "landscape",
    "buildings",
    "huts",
    "halloween",
    "graveyard",
    "travel",
)
"""Modules of this package that declare families."""
