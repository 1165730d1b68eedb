"""The models that others trained: what there is, where it comes from, and whether it lies here."""
