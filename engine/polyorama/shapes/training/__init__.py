"""How the default embedder is trained: pictures, captions, features, objectives."""
