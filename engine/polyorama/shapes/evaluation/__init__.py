"""How good an embedder is: retrieval on models that it never saw, beside plain baselines."""
