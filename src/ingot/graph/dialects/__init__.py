"""graph/dialects"""
