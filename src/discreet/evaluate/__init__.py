"""Errors against the truth, for those who hold the truth. No publishing code imports this."""
