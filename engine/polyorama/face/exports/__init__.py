"""Takes as files: written for other programs, and read again."""
