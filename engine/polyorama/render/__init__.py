"""From documents to frames: resolving, rasterizers, camera paths, surfels."""
