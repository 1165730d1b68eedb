"""Faces as plain data: channels, rigs with named shapes, performances, and what they follow."""
