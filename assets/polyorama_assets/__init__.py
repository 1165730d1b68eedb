"""Data that ships with Polyorama; read it with importlib.resources."""
