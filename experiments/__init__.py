"""The experiments of five papers, run again with this library's mechanisms. No part of the package: see README.md."""
