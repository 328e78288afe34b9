"""package/c"""
