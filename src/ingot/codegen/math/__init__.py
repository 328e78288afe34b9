"""float64 functions in the loop IR."""
