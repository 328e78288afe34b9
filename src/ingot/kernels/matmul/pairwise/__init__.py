"""Products of float32 by Winograd's pairwise inner product of 1968, for processors with separate pipes for additions and FMAs."""
