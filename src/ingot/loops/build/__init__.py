"""loops/build"""
