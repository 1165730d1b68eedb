"""Faces: speech in, a living face out (EcoFace), with rigs, takes, live work and exports."""
