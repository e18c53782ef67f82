"""What is run: questions about ranges, and how far the answers of every method are off."""
