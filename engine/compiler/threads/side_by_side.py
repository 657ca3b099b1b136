"""Parallel calls of a kernel, one for each thread, without a `prange` loop.

A `prange` passes every array of its arguments to the loop's body separately, and compiling that takes 3 s for a kernel
with a hundred of them. Here the body gets one address for all arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..held import Held, hold
from .thread_pool import SYMBOL
from .thread_pool_code import I64, LOOP_BODY, MAX_THREADS, POINTER, RUN_LOOP


def side_by_side(call: Callable) -> Any:
    """A function of kernels: (count, *arguments) runs call(k, *arguments) for every k below count, at most 32.

    Args:
        call: a plain function that calls kernels; it is compiled for the types of the arguments, NamedTuples as `Held`.
            A single call leaves the thread pool free for the loops in it.
    """

    @intrinsic
    def run(typing_context, count, *arguments):  # noqa: ANN001, ANN002, ANN202
        kinds = tuple(arguments)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return _generate(context, builder, values, kinds, call)

        return types.void(types.int64, types.StarArgTuple.from_types(kinds)), generate

    return run


def _generate(context: Any, builder: Any, values: Any, kinds: tuple[Any, ...], call: Callable) -> Any:
    count, packed = values
    box = hold(builder, cgutils.unpack_tuple(builder, packed, len(kinds)))
    # The loop's arrays: pairs of the first and last iteration of each chunk, as numba lists them, and the arguments.
    pairs = cgutils.alloca_once(builder, ir.ArrayType(I64, 2 * MAX_THREADS))
    with cgutils.for_range(builder, I64(MAX_THREADS), intp=I64) as loop:
        own = builder.select(builder.icmp_signed("<", loop.index, count), loop.index, I64(-1))
        for part in range(2):
            place = builder.add(builder.shl(loop.index, I64(1)), I64(part))
            builder.store(own if part else loop.index, cgutils.gep_inbounds(builder, pairs, 0, place))
    arrays, strides = (cgutils.alloca_once(builder, ir.ArrayType(I64, 2)) for _ in range(2))
    for nth, (array, stride) in enumerate(((pairs, 16), (box, 0))):
        builder.store(builder.ptrtoint(array, I64), cgutils.gep_inbounds(builder, arrays, 0, nth))
        builder.store(I64(stride), cgutils.gep_inbounds(builder, strides, 0, nth))
    sizes = cgutils.alloca_once_value(builder, count)
    body = _body(context, builder.module, box.type, kinds, call)
    own_arguments = [
        builder.bitcast(arrays, LOOP_BODY.args[0]), sizes, builder.bitcast(strides, LOOP_BODY.args[2]),
        ir.Constant(POINTER, None),
    ]
    with builder.if_else(builder.icmp_signed("<=", count, I64(1))) as (alone, together):
        with alone:
            builder.call(body, own_arguments)
        with together:
            run_loop = cgutils.get_or_insert_function(builder.module, RUN_LOOP, SYMBOL)
            addresses = [builder.bitcast(part, POINTER) for part in (body, *own_arguments)]
            builder.call(run_loop, [*addresses, I64(0), I64(2), count])
    return context.get_dummy_value()


def _body(context: Any, module: Any, box_type: Any, kinds: tuple[Any, ...], call: Callable) -> Any:
    """The loop's body: calls `call` for the iterations of its chunks."""
    body = ir.Function(module, LOOP_BODY, name=module.get_unique_name("flotsam.side_by_side"))
    body.linkage = "internal"
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    boxed = [_boxed(kind) for kind in kinds]
    argument_types = (types.int64, *boxed)
    compiled = context.compile_subroutine(builder, call, types.void(*argument_types), locals={})
    called = context.declare_function(module, compiled.fndesc)
    arrays = builder.bitcast(body.args[0], I64.as_pointer())
    pairs, box = (builder.load(builder.gep(arrays, [I64(nth)])) for nth in range(2))
    # LLVM does not look into assembly, so it does not move reads of arguments before the writes to them.
    box = builder.asm(ir.FunctionType(I64, [I64]), "", "=r,0", [box], side_effect=True)
    pairs, box = builder.inttoptr(pairs, I64.as_pointer()), builder.inttoptr(box, box_type)
    values = [
        _argument(context, builder, kind, cgutils.gep_inbounds(builder, box, 0, nth)) for nth, kind in enumerate(boxed)
    ]
    with cgutils.for_range(builder, builder.load(body.args[1]), intp=I64) as loop:
        own = builder.load(builder.gep(pairs, [builder.shl(loop.index, I64(1))]))
        # Kernels raise nothing.
        context.call_conv.call_function(builder, called, types.void, argument_types, [own, *values])
    builder.ret_void()
    return body


def _boxed(kind: Any) -> Any:
    """The type in which the body gets an argument: NamedTuples, also in a tuple, by their address."""
    if isinstance(kind, types.BaseNamedTuple):
        return Held(kind)
    return types.BaseTuple.from_types([_boxed(part) for part in kind]) if isinstance(kind, types.BaseTuple) else kind


def _argument(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """The argument whose value, of the type `_boxed`, is at the address `place`."""
    if isinstance(kind, Held):
        return place
    if not isinstance(kind, types.BaseTuple):
        return builder.load(place)
    parts = enumerate(kind)
    values = [_argument(context, builder, part, cgutils.gep_inbounds(builder, place, 0, nth)) for nth, part in parts]
    return context.make_tuple(builder, kind, values)
