"""Pages that ask a release. They reach nothing private, by any chain of imports."""
