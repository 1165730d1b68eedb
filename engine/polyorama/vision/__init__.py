"""From photographs to scenes."""
