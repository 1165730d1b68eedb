"""From a document to pixels: resolve, rasterize, frame."""
