"""The embedder that comes with Polyorama: small backbones, the multi-view design on top."""

from polyorama.shapes.default.embedder import DefaultEmbedder, default_embedder

__all__ = ["DefaultEmbedder", "default_embedder"]
