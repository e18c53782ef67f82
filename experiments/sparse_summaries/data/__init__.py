"""What data: tables made up from a seed, and real ones."""
