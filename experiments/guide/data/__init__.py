"""What data: jobs that somebody may have, each with data made up for it."""
