"""iReduct: differential privacy with reduced relative errors (Xiao, Bender, Hay, Gehrke), section 6."""
