"""graph/passes/tidy"""
