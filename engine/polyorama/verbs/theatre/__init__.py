"""The sample stage: a paper theatre, made of nothing but arithmetic.

`sheets` are surfaces with paint on them, `paint` paints, `stipple` turns sheets into Gaussians that
are small where there is much to see, `light` lights them; `stage`, `cloth`, `scenery` and `props`
build the things, and `build` puts them on the stage.

Inside this package +x is right, +y up, +z towards the audience; the stage opening is about three
units wide. `build` turns the result into the axes of splat clouds.
"""
