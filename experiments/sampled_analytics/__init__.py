"""A practical framework for privacy-preserving data analytics (Fan, Jin), section 6."""
