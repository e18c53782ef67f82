"""One file for each command; `docs/cli.md` is made from them."""
