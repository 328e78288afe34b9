"""How work is shared out to threads."""
