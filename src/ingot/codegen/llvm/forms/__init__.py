"""Loop forms that have instructions of their own."""
