"""Bandits: choosing where to look when every look costs."""
