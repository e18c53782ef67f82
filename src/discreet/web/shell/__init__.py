"""What every page stands on: who may come in, what may be asked for, how pages are made. Knows nothing private."""
