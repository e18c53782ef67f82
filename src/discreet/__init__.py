"""Discreet: publish counts, not people."""
