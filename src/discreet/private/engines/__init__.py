"""From private rows to `Counts`: the only modules that see rows."""
