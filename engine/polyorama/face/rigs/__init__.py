"""Face rigs: read from what others made, checked, mended, and carried onto any head."""
