"""What data: people with nine attributes, and their exact marginals."""
