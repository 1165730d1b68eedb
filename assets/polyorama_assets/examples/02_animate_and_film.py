"""Key a camera, a thing and a grade, then film the timeline."""

import sys
from pathlib import Path

import polyorama as po
from polyorama.verbs.demo import sample_path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

doc = po.edit(sample_path())
doc.set_timeline(duration=2.0, fps=6.0, loop="hold")

# Any property of a node, a modifier or the view takes keys, by its path.
doc.key("view/eye", 0.0, (-2.5, -1.8, -6.0))
doc.key("view/eye", 2.0, (2.5, -1.4, -5.0), interpolation="smooth")
doc.key("view/target", 0.0, (0.0, -1.2, 0.5))
doc.key("view/fov", 0.0, 42.0)

doc.add_modifier("moon", "grade", id="glow", values={"exposure": -1.0})
doc.key("moon/glow/exposure", 0.0, -1.0)
doc.key("moon/glow/exposure", 2.0, 1.0)
doc.add_cue(1.0, "The moon comes out")

# Frames are made when they are asked for, one after the other.
frames = po.film(doc.document, size=(320, 180))
po.write_video(folder / "moonrise.mp4", frames, fps=6.0)
