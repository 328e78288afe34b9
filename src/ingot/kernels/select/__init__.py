"""Places that are chosen by content, so that how many there are is known only while running."""
