"""Practical differential privacy via grouping and smoothing (Kellaris, Papadopoulos), section 5."""
