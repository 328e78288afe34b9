"""package/mlf"""
