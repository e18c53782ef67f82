"""Error against the truth, for people who hold the truth: `discreet evaluate`. No publishing code imports this."""
