"""How a parallel loop begins: on one thread as a plain call, on several by way of the team, see `team`.

Numba sends every loop to its threads, even to one alone, and takes Python's lock before it does so. Sending costs
0.6 us more than a call, and the lock waits for whoever runs Python meanwhile: Blender's own thread, while another
solves. On one thread, a loop of two rounds beside somebody who runs Python took 8.5 us in the mean, and takes 0.4.
Kernels that count no references need neither.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.types import intp
from numba.np.ufunc import parallel

from .thread_pool import SYMBOL
from .thread_pool_code import BODY, BYTES, SHARE

_numbas_own = parallel.build_gufunc_kernel


def install() -> None:
    """Let loops of kernels without reference counts begin this way from now on; those of others stay numba's."""
    parallel.build_gufunc_kernel = _build


def _build(library: Any, context: Any, info: Any, signature: Any, inner_ndim: int) -> Any:
    """The function that a kernel calls for a loop, in place of numba's `build_gufunc_kernel`.

    Args: library, context: of the loop's body; info: its library, environment and name; signature: its arguments.
    """
    if context.enable_nrt:
        return _numbas_own(library, context, info, signature, inner_ndim)
    whole = context.get_value_type(intp)
    launcher = context.codegen().create_library("flotsam.launch")
    module = launcher.create_ir_module("flotsam.launch")
    function = ir.Function(module, BODY, name=f".launch.{info.name}")
    builder = ir.IRBuilder(function.append_basic_block())
    body = cgutils.get_or_insert_function(module, BODY, info.name)
    threads = builder.call(
        cgutils.get_or_insert_function(module, ir.FunctionType(whole, []), "get_num_threads"), []
    )
    with builder.if_else(builder.icmp_signed("<=", threads, whole(1))) as (alone, together):
        with alone:
            # Never written into this function: one and two threads run the same code, and get the same bits.
            builder.call(body, function.args, attrs=("noinline",))
        with together:
            share = cgutils.get_or_insert_function(module, SHARE, SYMBOL)
            addresses = [builder.bitcast(part, BYTES) for part in (body, *function.args)]
            builder.call(share, [*addresses, whole(inner_ndim), whole(len(signature.args)), threads])
    builder.ret_void()
    launcher.add_linking_library(info.library)
    launcher.add_ir_module(module)
    launcher.add_linking_library(library)
    return type(info)(library=launcher, name=function.name, env=info.env)
