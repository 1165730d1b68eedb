"""Inference: distributions approximated, sums made fast."""
