"""Differential privacy via wavelet transforms (Xiao, Wang, Gehrke), section 8.1, and other ranges on the same page.

Three experiments, each with a file of its name in every room: `census`, the paper's; `vectors`, those of the DPBench
study; `dyadic`, section 5.3 of sparse-summaries, which is about ranges too.
"""
