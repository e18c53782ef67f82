"""What the paper says of its figures, tested on the recorded numbers."""
