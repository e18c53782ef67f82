"""Expressions over our own DuckDB, which are SQL from the start: what counting uses of ibis, under the same names.

ibis takes much longer to load than small files take to be counted, so it is left to other engines (decision 17).
"""
