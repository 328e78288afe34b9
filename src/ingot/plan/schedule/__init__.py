"""plan/schedule"""
