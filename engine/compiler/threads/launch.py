"""How a parallel loop starts: as a plain call on one thread, on the thread pool on several.

Numba sends every loop to its threads, even to a single one, and takes the GIL to do so. Sending costs 0.6 us more than
a call. Taking the GIL waits for any thread that runs Python, such as Blender's main thread while another thread solves.
With one solver thread beside another thread that runs Python, a loop of two iterations took 8.5 us on average with
numba's launcher and 0.4 us with this one. Kernels without reference counts need neither the sending nor the GIL.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.types import intp
from numba.np.ufunc import parallel

from .thread_pool import SYMBOL
from .thread_pool_code import LOOP_BODY, POINTER, RUN_LOOP

_numbas_own = parallel.build_gufunc_kernel


def build_loop_launcher(library: Any, context: Any, info: Any, signature: Any, inner_ndim: int) -> Any:
    """The function that a kernel calls to run a loop; replaces numba's `build_gufunc_kernel` (`numba_patches`).

    Args:
        library, context: of the loop's body.
        info: the body's library, environment and name.
        signature: the body's arguments.
        inner_ndim: number of sizes besides the iteration count.
    """
    if context.enable_nrt:
        return _numbas_own(library, context, info, signature, inner_ndim)
    integer = context.get_value_type(intp)
    launcher = context.codegen().create_library("flotsam.launch")
    module = launcher.create_ir_module("flotsam.launch")
    function = ir.Function(module, LOOP_BODY, name=f".launch.{info.name}")
    builder = ir.IRBuilder(function.append_basic_block())
    body = cgutils.get_or_insert_function(module, LOOP_BODY, info.name)
    threads = builder.call(
        cgutils.get_or_insert_function(module, ir.FunctionType(integer, []), "get_num_threads"), []
    )
    with builder.if_else(builder.icmp_signed("<=", threads, integer(1))) as (alone, together):
        with alone:
            # Never inlined: one thread and several run the same code and compute the same bits.
            builder.call(body, function.args, attrs=("noinline",))
        with together:
            run_loop = cgutils.get_or_insert_function(module, RUN_LOOP, SYMBOL)
            addresses = [builder.bitcast(part, POINTER) for part in (body, *function.args)]
            builder.call(run_loop, [*addresses, integer(inner_ndim), integer(len(signature.args)), threads])
    builder.ret_void()
    launcher.add_linking_library(info.library)
    launcher.add_ir_module(module)
    launcher.add_linking_library(library)
    return type(info)(library=launcher, name=function.name, env=info.env)
