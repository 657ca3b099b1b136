"""Functions of kernels that stand for one of two kernels, by the types of their arguments.

Numba's `overload` compiles a function of its own around the chosen kernel, which passes on every array one by one.
Here a call is lowered as a call of the kernel itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global


def chosen_by(choose: Callable[..., Any]) -> Callable[[Callable], Callable]:
    """A decorator of an empty function: kernels that call it call the kernel choose(*types of the arguments)."""

    def decorate(name: Callable) -> Callable:
        class Chosen(AbstractTemplate):
            key = name

            def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
                kernel = types.Dispatcher(choose(*args))
                return kernel.get_call_type(self.context, args, kws).replace(pysig=None)

            def get_impl_key(self, sig: Any) -> Any:
                return types.Dispatcher(choose(*sig.args)).get_impl_key(sig)

        infer_global(name, types.Function(Chosen))
        return name

    return decorate
