"""loops/analyse"""
