"""What anyone may do with what was published."""

from discreet.release.release import Release, load

__all__ = ["Release", "load"]
