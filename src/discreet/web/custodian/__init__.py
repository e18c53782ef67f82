"""Pages for those who hold the data: specs, plans, publishing, ledgers. With `--releases-only` they are not loaded."""
