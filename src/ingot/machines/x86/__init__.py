"""Microarchitectures of x86, one file each."""
