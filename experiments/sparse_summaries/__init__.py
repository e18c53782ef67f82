"""Differentially private summaries for sparse data (Cormode, Procopiuc, Srivastava, Tran), section 4."""
