"""Look for clutter, remove it, and write captures of several sizes."""

import sys
from pathlib import Path

import polyorama as po
from polyorama.verbs.demo import sample_path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

doc = po.edit(sample_path())
doc.remove(["stars", "dust"])

# Clean-up tools can select what they would remove, so that one sees it first.
for kind in ("faint", "needles", "giant"):
    doc.select_clutter(kind)
    count = sum(bits.indices().size for bits in doc.document.selection.values())
    print(f"{kind}: {count} splats")
doc.clean("faint")

# One capture with all edits carried out; the ending says how it is kept.
for ending in (".ply", ".spz"):
    path = folder / f"theatre{ending}"
    po.save(doc, path)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
