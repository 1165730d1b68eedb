"""EcoFace (Xie et al., ICLR 2025): faces from speech, its content and its emotion apart."""
