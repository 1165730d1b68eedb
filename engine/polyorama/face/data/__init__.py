"""Recordings of faces that speak, in the layouts that people have them in."""
