"""One file for each group of commands; app.py declares them all, and `docs/cli.md` is made from it."""
