"""The viewport: where a Frame is shown and the camera is moved."""
