"""graph/passes/fuse"""
