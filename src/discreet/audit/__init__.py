"""Tests that try to break the guarantee, for developers, custodians and reviewers alike."""
