"""What is run: every method on every set of marginals, and a classifier from noisy ones."""
