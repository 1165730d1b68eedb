"""Data that ships with Polyorama, read with importlib.resources: sample project, icons, examples."""
