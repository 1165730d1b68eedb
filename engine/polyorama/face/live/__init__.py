"""Live faces: from a microphone or a file to a face at once, and on to other programs."""
