"""Readers of mesh formats that other people's libraries parse, in a process that may fall."""
