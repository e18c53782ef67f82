"""Attacks on the guarantee that anyone can run: what a release really costs, derived from its own draws."""
