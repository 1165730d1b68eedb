"""CLIP and SigLIP with any number of views: Duoduo CLIP, its files, its words and its training."""
