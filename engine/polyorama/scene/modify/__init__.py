"""What each kind of modifier does to splats: one module a family, all of them pure functions.

`polyorama.scene.stack` carries them out one after the other and keeps what they made.
"""
