"""loops/transform"""
