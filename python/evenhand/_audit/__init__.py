"""Figures of decisions."""
