"""plan/layout"""
