"""The domain com.microsoft."""
