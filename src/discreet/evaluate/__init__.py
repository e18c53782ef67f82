"""Error against the truth, for people who hold the truth: the papers' experiments. No publishing code imports this."""
