"""Performance claims, each as a ratio against a baseline measured in the same run. `python -m benchmarks [name]`."""
