"""What all tests share: nothing is timed, for machines are noisy and kernels are compiled when first used."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
