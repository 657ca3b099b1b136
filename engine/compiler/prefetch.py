"""Asking the caches for what is needed soon, where the processor cannot guess it: rows in the order of a list."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

# Rows of a list that are asked for before they are needed.
ROWS_AHEAD = 16

_BYTES, _NUMBER = ir.IntType(8).as_pointer(), ir.IntType(32)


@intrinsic
def fetch(typing_context, array, row):
    """Let the caches get the beginning of array[row], which is in it; changes nothing."""
    if not isinstance(array, types.Array):
        return None
    return types.void(array, types.int64), _fetch


def _fetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    whole = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    stride = builder.extract_value(whole.strides, 0)
    write_fetch(builder, builder.gep(builder.bitcast(whole.data, _BYTES), [builder.mul(arguments[1], stride)]))
    return context.get_dummy_value()


def write_fetch(builder: ir.IRBuilder, address: Any) -> None:
    """Write it into a function that is being compiled: for what stands at an address, in an array or not."""
    function = ir.FunctionType(ir.VoidType(), [_BYTES, _NUMBER, _NUMBER, _NUMBER])
    prefetch = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0i8")
    reading, keep_near, data = (ir.Constant(_NUMBER, value) for value in (0, 3, 1))
    builder.call(prefetch, [builder.bitcast(address, _BYTES), reading, keep_near, data])
