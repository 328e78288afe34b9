"""graph/passes/control_flow"""
