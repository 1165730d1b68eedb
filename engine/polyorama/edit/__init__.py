"""Changes to scenes: pure functions from cloud to cloud."""
