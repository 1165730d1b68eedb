"""Layers of a face: phones, curves, model, takes, owners, keys, contact, limits."""
