"""What data, where a claim needs other than the full experiment: a small census, and small sets of items."""
