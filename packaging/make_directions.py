"""Make the directions of slicing that Polyorama ships: `python packaging/make_directions.py`.

Those of most distance in 3, 10 and 50 dimensions and the designs in 3 dimensions, P a power of two,
as the room of QMC slicing needs them. They take a few minutes; the result is the same each time up
to rounding. Directions of most distance are stored in single precision, which moves their mean over
P by less than 1e-8; a design is exact, and so is stored in double.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from polyorama.core.jobs import run
from polyorama.lab.inference.directions import SHIPPED, design, distance_job, has_design

FOLDER = Path("assets/polyorama_assets")
COUNTS = tuple(2**k for k in range(4, 11))
DIMENSIONS = (3, 10, 50)


def main() -> None:
    """Write the asset."""
    made = {}
    for dimension in DIMENSIONS:
        for count in COUNTS:
            if count > dimension:  # fewer are orthogonal, which need no making
                xi = run(distance_job(dimension, count))
                made[f"distance-{dimension}-{count}"] = xi.astype(np.float32)
    for count in COUNTS:
        if has_design(3, count):
            made[f"design-3-{count}"] = design(3, count)
    np.savez_compressed(FOLDER / SHIPPED, **made)


if __name__ == "__main__":
    main()
