"""What rewriting passes share."""
