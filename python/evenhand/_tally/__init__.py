"""Tallies: counts of rows, and their files."""
