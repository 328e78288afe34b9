"""runtime/executors"""
