"""What the papers say of ranges, tested on the recorded numbers."""
