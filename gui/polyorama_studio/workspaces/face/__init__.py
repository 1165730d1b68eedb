"""The Face workspace: a voice goes in, a living face comes out."""
