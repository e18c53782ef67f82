"""What anyone may do with what was published."""

from discreet.release.combined import combine
from discreet.release.release import Release, load

__all__ = ["Release", "combine", "load"]
