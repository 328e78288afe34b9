"""plan/memory"""
