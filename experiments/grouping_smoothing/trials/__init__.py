"""What is run: every method at the paper's epsilons, and groups of all sizes."""
