"""Shapes: a library of models, found by words, pictures or shapes, and placed in the scene."""
