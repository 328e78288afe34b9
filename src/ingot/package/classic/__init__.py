"""package/classic"""
