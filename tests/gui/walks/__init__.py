"""The walk through the studio: what drives the window, and the steps."""
