"""Microarchitectures of Arm, one file each."""
