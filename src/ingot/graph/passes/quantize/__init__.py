"""graph/passes/quantize"""
