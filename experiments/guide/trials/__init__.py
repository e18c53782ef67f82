"""What is run: every method of a job, by the trials of `discreet evaluate`."""
