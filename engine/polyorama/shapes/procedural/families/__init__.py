"""The families of shapes, by subject; `polyorama.shapes.procedural.family` loads them."""

MODULES: tuple[str, ...] = ("furniture", "household", "kitchen")
"""Modules of this package that declare families."""
