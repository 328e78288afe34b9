"""graph/evaluate"""
