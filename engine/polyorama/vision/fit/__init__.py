"""Fitting splats to photographs: gradient descent on what the renderer draws.

`polyorama.vision.fit.optimise.fit` is the loop; the other modules are its parts: the pictures and
the first guess (`dataset`, `start`), what is compared (`losses`), what is moved (`model`), where
splats are added and removed (`density`, `mcmc`), and how a run is kept (`checkpoint`).
"""
