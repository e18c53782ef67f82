"""How kernels run: as they are written while there is little to do, compiled from then on, with the same results.

Nothing is compiled, and numba is not even loaded, before a kernel has enough to do. What is compiled is kept where the
machine has a place for it (beside the package, or in the user's cache where that is read-only), else made anew in
every process. Where numba is loaded anyway and a kernel is kept, it is taken from there sooner. Only light kernels are
ever interpreted: `tests/unit/kernels/test_light.py` runs them both ways, and not a bit may differ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

#: the arrays that kernels read and fill
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
Words = NDArray[np.uint64]
Limbs = NDArray[np.uint32]

#: kernels that are kept, or will be called often, are interpreted for so much less
SOONER = 16
_repeated = False


class Kernel:
    """A loop over arrays. `light` says how much there is to do, given the arguments, and the most to interpret."""

    def __init__(self, function: Callable[..., Any], light: tuple[Callable[..., int], int] | None) -> None:
        self.function = cast(FunctionType, function)
        self.light = light
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__
        self._done = 0
        self._compiled: Callable[..., Any] | None = None
        self._plain: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is not None:
            return self._compiled(*arguments)
        if self.light is not None:
            work, most = self.light
            self._done += work(*arguments)
            if self._done <= most // SOONER or (self._done <= most and not self.sooner):
                return self.plainly(*arguments)
        return self.compiled(*arguments)

    @property
    def sooner(self) -> bool:
        """Whether the same is done again and again, or an earlier process left it compiled and numba is loaded."""
        if _repeated:
            return True
        if "numba" not in sys.modules:
            return False
        code, folder = self.function.__code__, cast(Any, self._dispatcher).stats.cache_path
        name = f"{Path(code.co_filename).stem}.{self.function.__qualname__}-{code.co_firstlineno}"
        return folder is not None and any(Path(folder).glob(f"{name}.*.nbi"))

    @property
    def compiled(self) -> Callable[..., Any]:
        """As numba compiles it, without the interpreter lock, at the first call for each kind of arguments."""
        if self._compiled is None:
            self._compiled = self._dispatcher
        return self._compiled

    @cached_property
    def _dispatcher(self) -> Callable[..., Any]:
        import numba

        copy = self._among("compiled")
        try:
            return cast(Callable[..., Any], numba.njit(cache=True, nogil=True)(copy))
        except RuntimeError:  # numba found no folder it may write to
            return cast(Callable[..., Any], numba.njit(nogil=True)(copy))

    def plainly(self, *arguments: Any) -> Any:
        """The same, interpreted; whole numbers wrap around as they do when compiled."""
        with np.errstate(over="ignore"):
            return _scalars(self.plain(*arguments))

    @property
    def plain(self) -> Callable[..., Any]:
        if self._plain is None:
            self._plain = self._among("plain")
        return self._plain

    def _among(self, kind: str) -> FunctionType:
        """The function, with the kernels that it calls as they are of this kind."""
        written = self.function
        given = written.__globals__
        called = [name for name in written.__code__.co_names if isinstance(given.get(name), Kernel)]
        names = {**given, **{name: getattr(given[name], kind) for name in called}}
        copy = FunctionType(written.__code__, names, written.__name__, written.__defaults__, written.__closure__)
        copy.__qualname__, copy.__module__ = written.__qualname__, written.__module__
        return copy


def repeatedly() -> None:
    """From now on this process does the same again and again, as rehearsals do: compiling pays sooner."""
    global _repeated
    _repeated = True


def kernel(function: Function) -> Function:
    """A loop that is always compiled, on first use."""
    return cast(Function, Kernel(function, None))


def light_kernel(by: str | Callable[..., int], most: int) -> Callable[[Function], Function]:
    """A loop that is interpreted until it had more than `most` to do, in all calls together.

    How much that is says `by`: the name of an argument, whose entries count, or a function of all arguments.
    """

    def made(function: Function) -> Function:
        if callable(by):
            return cast(Function, Kernel(function, (by, most)))
        place = function.__code__.co_varnames.index(by)
        return cast(Function, Kernel(function, (lambda *arguments: int(arguments[place].size), most)))

    return made


def _scalars(result: Any) -> Any:
    """Python's own numbers in place of numpy's, as compiled kernels return them."""
    if isinstance(result, tuple):
        return tuple(map(_scalars, result))
    return result.item() if isinstance(result, np.generic) else result
