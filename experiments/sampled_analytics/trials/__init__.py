"""What is run: releases of items and of items in contexts, and how far they are off by the paper's measures."""
