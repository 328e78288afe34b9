"""Measuring schedules on this machine."""
