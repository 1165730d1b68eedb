"""An artist's job as a list of operations: the same through the studio and without it."""

from __future__ import annotations

from typing import Any

__all__ = ["JOB", "POT", "SECONDS"]

SECONDS = 4.0

POT = (
    "y > 0.175 or (y > 0.05 and sqrt(x*x + z*z) > 0.1 and not hue in 60..160) "
    "or (y > 0.1 and saturation < 0.25 and value > 0.4)"
)
"""The pot and the soil of plant.splat: what lies low, and what is low, wide and not green."""

JOB: tuple[tuple[str, dict[str, Any]], ...] = (
    ("select", {"query": POT}),
    ("keep_selection", {"name": "pot"}),
    ("delete", {}),
    # The leaves turn to autumn.
    (
        "add_modifier",
        {
            "node": "plant", "kind": "grade", "id": "autumn", "mask": "hue in 50..170",
            "values": {"hue": -55.0, "saturation": 1.5, "exposure": 0.25},
        },
    ),
    (
        "add_modifier",
        {
            "node": "plant", "kind": "crop", "id": "fade",
            "values": {
                "shape": "sphere", "center": (0.0, -0.1, 0.0), "size": (0.75, 0.75, 0.75),
                "soft": 0.12,
            },
        },
    ),
    ("set_timeline", {"duration": SECONDS, "fps": 6.0, "loop": "hold"}),
    ("key", {"path": "view/eye", "time": 0.0, "value": (0.0, -0.35, 1.3)}),
    ("key", {"path": "view/eye", "time": 2.0, "value": (0.9, -0.3, 0.9)}),
    ("key", {"path": "view/eye", "time": SECONDS, "value": (1.2, -0.2, 0.1)}),
    ("key", {"path": "view/target", "time": 0.0, "value": (0.0, -0.1, 0.0)}),
    ("key", {"path": "view/fov", "time": 0.0, "value": 42.0}),
    ("key", {"path": "plant/autumn/strength", "time": 0.0, "value": 0.0}),
    ("key", {"path": "plant/autumn/strength", "time": 3.0, "value": 1.0}),
)  # fmt: skip
"""Remove the pot by a query, recolour the leaves, crop softly, move the camera, key the grade."""
