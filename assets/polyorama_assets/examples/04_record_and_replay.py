"""Record what was done as a file of operations, and do it again on another scene."""

import sys
from pathlib import Path

import polyorama as po
from polyorama.verbs.demo import sample_path
from polyorama.verbs.editing import play_calls, read_calls, save_calls

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

doc = po.edit(sample_path())
with doc.gesture("Redecorate"):
    doc.set("teapot/visible", False)
    doc.add_modifier("left curtain", "grade", id="green", values={"hue": 120.0})
    doc.add_modifier("right curtain", "grade", id="green", values={"hue": 120.0})
save_calls(doc, folder / "redecorate.json")

# The studio's console saves the same kind of file, and `polyorama edit --script` plays it.
again = po.edit(sample_path())
for progress in play_calls(again, read_calls(folder / "redecorate.json")):
    print(progress.note)

camera = again.document.camera.resized(480, 270)
first, second = (po.render(one.document, camera) for one in (doc, again))
print("the same pixels" if (first.rgba8 == second.rgba8).all() else "other pixels")
