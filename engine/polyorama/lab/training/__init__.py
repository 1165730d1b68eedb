"""How networks are trained: optimisers, learning rates, scales."""
