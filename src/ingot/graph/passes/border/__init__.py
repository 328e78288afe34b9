"""graph/passes/border"""
