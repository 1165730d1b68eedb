"""Shapes made by rule, each with captions that say exactly what it is: free training data.

`family.make_shape` makes one; `family.FAMILIES` lists all kinds.
"""
