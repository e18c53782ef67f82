"""What data: the census extract, the DPBench vectors, and made-up counts."""
