"""What lies over the picture, layer by layer; each can be switched off."""
