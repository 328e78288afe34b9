"""plan/fuse"""
