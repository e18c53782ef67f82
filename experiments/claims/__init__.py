"""The claims of the five papers as checks that can fail, each tried at a reduced size and decided by a rule."""
