"""Motion by rules: the teacher of the model, a source of its own, and what every source needs."""
