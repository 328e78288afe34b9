"""The container in a library: bytes that can be read and checked without running code."""
