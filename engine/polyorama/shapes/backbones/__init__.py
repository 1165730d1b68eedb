"""The small networks that pip packages carry: EfficientNet-Lite0 for pictures, MiniLM for words."""
