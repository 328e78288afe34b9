"""Devices with memory of their own."""
