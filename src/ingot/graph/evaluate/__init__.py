"""Other answers to compare with."""
