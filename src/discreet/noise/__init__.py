"""The one room where randomness is drawn: exact integer noise, from bits that are used once.

A mechanism is handed a `Noise` and asks it for everything random.
"""

from discreet.noise.count_bounds import LARGEST_COUNT
from discreet.noise.descents import Descent, Redraws
from discreet.noise.fields import Candidates, Chosen, Field, Stretch
from discreet.noise.noise import Noise, ZeroNoise
from discreet.noise.paths import Paths
from discreet.noise.priorities import Contestants
from discreet.noise.skips import placed
from discreet.noise.source import BitSource, KeystreamSource, ScriptedSource, SeededSource, SystemSource
from discreet.noise.survivors import Rule
from discreet.noise.wide import same_form, to_integers, to_limbs

__all__ = [
    "LARGEST_COUNT",
    "BitSource",
    "Candidates",
    "Chosen",
    "Contestants",
    "Descent",
    "Field",
    "KeystreamSource",
    "Noise",
    "Paths",
    "Redraws",
    "Rule",
    "ScriptedSource",
    "SeededSource",
    "Stretch",
    "SystemSource",
    "ZeroNoise",
    "placed",
    "same_form",
    "to_integers",
    "to_limbs",
]
