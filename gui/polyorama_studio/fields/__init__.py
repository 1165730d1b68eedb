"""Fields: one editor for each kind of property."""
