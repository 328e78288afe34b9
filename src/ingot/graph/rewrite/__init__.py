"""graph/rewrite"""
