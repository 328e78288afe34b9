"""Model Library Format archives."""
