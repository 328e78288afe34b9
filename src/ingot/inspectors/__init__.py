"""Looks into files of others: reads their bytes, runs none of their code."""
