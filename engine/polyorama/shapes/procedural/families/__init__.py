"""The families of shapes, by subject; `polyorama.shapes.procedural.family` loads them."""

MODULES: tuple[str, ...] = (
    "furniture",
    "household",
    "kitchen", "appliances", "decoration",
    "vehicles",
    "animals",
    "creatures",
    "insects",
    "people",
)
"""Modules of this package that declare families."""
