"""graph/dialects/ml"""
