"""What algorithms share: inner loops in registers, packing, prefetch, shares of work."""
