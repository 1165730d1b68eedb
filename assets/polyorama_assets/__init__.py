"""Data that ships with Polyorama: sample project, icons, examples. Read it with importlib.resources."""
