"""Duoduo CLIP: shapes, pictures and words in one space, and a library that is searched by it."""
