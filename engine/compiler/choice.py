"""Functions for use in kernels that call one of two kernels, chosen by the types of their arguments.

Numba's `overload` compiles a wrapper around the chosen kernel, which passes on every array one by one. Here a call is
lowered as a call of the kernel itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global

from .kernels import PLAIN


def twins(vector: Any, plain: Any, number: Callable[..., Any]) -> Any:
    """A function that kernels call: `vector` in single precision, else `plain`. In plain mode it is `plain` itself.

    Args:
        vector, plain: two kernels with the same arguments.
        number: returns the type of the numbers, given the types of the arguments.
    """
    if PLAIN:
        return plain

    def choose(*arguments: Any) -> Any:
        return types.Dispatcher(vector if number(*arguments) == types.float32 else plain)

    def name(*_arguments: Any) -> None:
        """Does nothing in Python, like all vector code."""

    class Chosen(AbstractTemplate):
        key = name

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return choose(*args).get_call_type(self.context, args, kws).replace(pysig=None)

        def get_impl_key(self, sig: Any) -> Any:
            return choose(*sig.args).get_impl_key(sig)

    infer_global(name, types.Function(Chosen))
    return name
