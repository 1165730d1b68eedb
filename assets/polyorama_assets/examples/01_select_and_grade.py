"""Select by a query, grade what was selected, save a project and a picture."""

import sys
from pathlib import Path

import polyorama as po
from polyorama.verbs.demo import sample_path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# Every operation is a method of what `po.edit` returns, and a step that can be undone.
doc = po.edit(sample_path())
doc.select("hue in 90..170 and saturation > 0.2", nodes="potted tree")
doc.keep_selection("leaves", "hue in 90..170")
print("selected", sum(bits.indices().size for bits in doc.document.selection.values()), "splats")

# A modifier changes nothing for good: it can be switched off, moved, keyed, or removed.
doc.add_modifier("potted tree", "grade", selected=True, values={"hue": -80.0, "saturation": 1.5})
doc.modifiers("teapot").add("grade", exposure=0.4, temperature=-0.3)

# What is undone is gone from the script that `save_calls` would record.
doc.rename("chair", "throne")
doc.undo()

po.save(doc, folder / "graded.poly")
camera = doc.document.camera.resized(640, 360)
po.write_image(folder / "graded.png", po.render(doc.document, camera))
