"""Special values: those on which very many records are expected to sit, such as an income of zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.errors import BadSpec, OutsideDomain

MOST_SPECIAL = 16


def codes_of_special(
    declared: object, code: Callable[[object], int], label: Callable[[int], object]
) -> tuple[int, ...]:
    """The codes of the values that were declared, ascending. Mistakes are raised as BadSpec: "key: mistake; fix"."""
    if declared is None:
        return ()
    if isinstance(declared, str | bytes) or not isinstance(declared, Sequence | np.ndarray):
        raise BadSpec([f"special: must be a list of values of the domain, such as [{_shown(label(0))}]"])
    if len(declared) > MOST_SPECIAL:
        few = f"{len(declared)} values are more than {MOST_SPECIAL}"
        raise BadSpec([f"special: {few}; keep those that most records are expected to have"])
    problems: list[str] = []
    places: dict[int, int] = {}
    for index, value in enumerate(declared):
        try:
            found = code(value)
        except OutsideDomain as error:
            problems.append(f"special[{index}]: must be one value of the domain; {error}")
        except ValueError:  # Python does not write out whole numbers of thousands of digits
            problems.append(f"special[{index}]: must be one value of the domain; it has too many digits")
        else:
            if (first := places.setdefault(found, index)) != index:
                same = f"is the cell {_shown(label(found))}, as special[{first}] is"
                problems.append(f"special[{index}]: {same}; keep one of the two")
    if problems:
        raise BadSpec(problems)
    return tuple(sorted(places))


def _shown(label: object) -> str:
    return repr(label) if isinstance(label, str) else str(label)
