"""Images and feature maps read between their pixels."""
