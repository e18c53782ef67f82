"""Models made from releases: post-processing, like any other use of a release."""

from discreet.models.naive_bayes import NaiveBayes

__all__ = ["NaiveBayes"]
