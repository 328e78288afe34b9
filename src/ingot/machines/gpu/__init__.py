"""Machines that run kernels as groups of work items: limits of all, and one file a kind."""
