"""Errors against the truth, for those who hold the truth: `discreet evaluate`. No publishing code imports this."""
