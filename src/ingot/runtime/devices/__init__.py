"""runtime/devices"""
