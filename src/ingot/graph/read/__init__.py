"""graph/read"""
