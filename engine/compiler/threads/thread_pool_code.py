"""The machine code of the thread pool, as LLVM IR: `run_loop` for callers, `work` for workers, `signal` for both.

A pool has one table of 64-bit slots that all its threads share. The caller of a loop writes the loop into the table and
offers its chunks as bits of one slot, together with the loop's serial number. A thread claims a chunk by clearing its
bit with compare-and-swap, so a thread that is late for a loop cannot claim a chunk of the next one. The caller claims
chunks as well, does not wait for threads that claimed none, and returns when no chunk is running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

# Bits of OFFER below the loop's number: the most chunks of a loop, and the most threads of a pool.
MAX_THREADS = 32
# Slots of the table. Each slot that threads write during a loop has 128 bytes for itself, because processors fetch
# cache lines in pairs. OFFER: open chunks and loop number; RUNNING: chunks that are not finished; IN_USE: 1 while a
# loop runs; OPEN: how many callers have the pool running; WANTED: workers wanted; STOPPED: 1 when workers must end;
# ASLEEP: workers that sleep; LOOP: first of the slots with the arguments of the loop that `run_chunk` needs.
OFFER, RUNNING, IN_USE, OPEN, WANTED, STOPPED, ASLEEP, LOOP, SLOT_COUNT = 0, 16, 32, 48, 49, 50, 51, 64, 80
# A thread without work polls SPINS times in a row, then YIELDS times with a yield to other threads, then sleeps SLEEP
# [us] before each poll while the pool is running: 50 us, half a millisecond, and one hundredth of a core.
SPINS, YIELDS, SLEEP = 1000, 2000, 50

I64, I32, I1 = ir.IntType(64), ir.IntType(32), ir.IntType(1)
POINTER, VOID = ir.IntType(8).as_pointer(), ir.VoidType()
# Numba's type for the body of a loop: arrays, sizes, strides, and a pointer that is not used.
LOOP_BODY = ir.FunctionType(VOID, [POINTER.as_pointer(), I64.as_pointer(), I64.as_pointer(), POINTER])
# As numba's `numba_parallel_for`: body and its four arguments, number of sizes after the first, of arrays, of threads.
RUN_LOOP = ir.FunctionType(VOID, [POINTER] * 5 + [I64] * 3)


def compile_pool_code(codegen: Any, table: int, mutex: int, condition: int) -> dict[str, int]:
    """Addresses of `run_loop`, `work` and `signal`, by name.

    Args:
        codegen: numba's code generator.
        table: address of SLOT_COUNT integers of 64 bits.
        mutex, condition: addresses of pthread's objects.
    """
    with global_compiler_lock:
        library = codegen.create_library("flotsam.thread_pool")
        module = library.create_ir_module("flotsam.thread_pool")
        writer = _Writer(module, table, mutex, condition)
        take_chunks = writer.write_take_chunks(writer.write_run_chunk())
        names = [writer.write_run_loop(take_chunks), writer.write_work(take_chunks), writer.write_signal()]
        library.add_ir_module(module)
        library.finalize()
    # Nothing else refers to the library, and the code is freed with it.
    _KEPT.append(library)
    return {name: library.get_pointer_to_function(name) for name in names}


_KEPT: list[Any] = []


class _Writer:
    """Writes the functions of a thread pool."""

    def __init__(self, module: ir.Module, table: int, mutex: int, condition: int) -> None:
        """Args: as `compile_pool_code`."""
        self._module, self._table, self._mutex, self._condition = module, table, mutex, condition
        self._builder = ir.IRBuilder()

    def _begin(self, name: str, argument_types: list[ir.Type]) -> ir.Function:
        function = ir.Function(self._module, ir.FunctionType(VOID, argument_types), name=name)
        self._builder = ir.IRBuilder(function.append_basic_block())
        return function

    def _slot(self, slot: int) -> Any:
        return ir.Constant(I64, self._table + 8 * slot).inttoptr(I64.as_pointer())

    def _load(self, slot: int) -> Any:
        """A slot's value; the writes of other threads before it are visible afterwards."""
        return self._builder.load_atomic(self._slot(slot), "acquire", 8)

    def _store(self, value: Any, slot: int) -> None:
        """Set a slot; all writes of this thread before it become visible with it."""
        self._builder.store_atomic(value, self._slot(slot), "release", 8)

    def _add(self, value: Any, slot: int) -> None:
        self._builder.atomic_rmw("add", self._slot(slot), value, "acq_rel")

    def _call(self, name: str, result_type: ir.Type, *arguments: Any) -> Any:
        """Call a function of the operating system, or an intrinsic of the processor."""
        kind = ir.FunctionType(result_type, [each.type for each in arguments])
        return self._builder.call(cgutils.get_or_insert_function(self._module, kind, name), arguments)

    @contextmanager
    def _while(self, condition: Callable[[], Any]) -> Iterator[None]:
        """A loop that repeats while the code that `condition()` writes evaluates to 1."""
        builder = self._builder
        check, inside, after = (builder.append_basic_block() for _ in range(3))
        builder.branch(check)
        builder.position_at_end(check)
        builder.cbranch(condition(), inside, after)
        builder.position_at_end(inside)
        yield
        builder.branch(check)
        builder.position_at_end(after)

    def _pause(self, polls: Any) -> None:
        """Wait before the next poll; `polls`: address of the number of polls so far, which grows by one."""
        builder = self._builder
        before = builder.load(polls)
        builder.store(builder.add(before, I64(1)), polls)
        with builder.if_else(builder.icmp_unsigned("<", before, I64(SPINS))) as (soon, later):
            with soon:
                if llvm.get_default_triple().startswith(("x86_64", "amd64")):
                    self._call("llvm.x86.sse2.pause", VOID)
            with later:
                self._call("sched_yield", I32)

    def write_run_chunk(self) -> ir.Function:
        """Run one chunk of the loop in the table: its body, with array pointers advanced to the chunk."""
        function = self._begin("flotsam.run_chunk", [I64])
        builder, (chunk,) = self._builder, function.args
        body, arrays, sizes, strides, rest, others, count = (
            builder.load(self._slot(LOOP + nth)) for nth in range(len(RUN_LOOP.args) - 1)
        )
        arrays, sizes, strides = (
            builder.inttoptr(each, I64.as_pointer()) for each in (arrays, sizes, strides)
        )
        own_sizes = builder.alloca(I64, builder.add(others, I64(1)))
        own_arrays = builder.alloca(I64, count)
        builder.store(I64(1), own_sizes)
        with cgutils.for_range(builder, others, intp=I64) as loop:
            place = [builder.add(loop.index, I64(1))]
            builder.store(builder.load(builder.gep(sizes, place)), builder.gep(own_sizes, place))
        with cgutils.for_range(builder, count, intp=I64) as loop:
            place = [loop.index]
            offset = builder.mul(chunk, builder.load(builder.gep(strides, place)))
            builder.store(builder.add(builder.load(builder.gep(arrays, place)), offset), builder.gep(own_arrays, place))
        builder.call(builder.inttoptr(body, LOOP_BODY.as_pointer()), [
            builder.bitcast(own_arrays, POINTER.as_pointer()), own_sizes, strides, builder.inttoptr(rest, POINTER),
        ])
        builder.ret_void()
        return function

    def write_take_chunks(self, run_chunk: ir.Function) -> ir.Function:
        """Run chunks until none is left, the preferred one first, so that each thread keeps a chunk in its caches."""
        function = self._begin("flotsam.take_chunks", [I64])
        builder, (preferred,) = self._builder, function.args
        first = builder.shl(I64(1), preferred)
        count_zeros = cgutils.get_or_insert_function(self._module, ir.FunctionType(I64, [I64, I1]), "llvm.cttz.i64")
        offer = builder.alloca(I64)

        def is_left() -> Any:
            builder.store(self._load(OFFER), offer)
            return builder.icmp_unsigned("!=", builder.trunc(builder.load(offer), I32), I32(0))

        with self._while(is_left):
            seen = builder.load(offer)
            lowest = builder.shl(I64(1), builder.call(count_zeros, [seen, ir.Constant(I1, 1)]))
            is_free = builder.icmp_unsigned("!=", builder.and_(seen, first), I64(0))
            bit = builder.select(is_free, first, lowest)
            swapped = builder.cmpxchg(self._slot(OFFER), seen, builder.xor(seen, bit), "acq_rel", "monotonic")
            with builder.if_then(builder.extract_value(swapped, 1)):
                builder.call(run_chunk, [builder.call(count_zeros, [bit, ir.Constant(I1, 1)])])
                self._add(I64(-1), RUNNING)
        builder.ret_void()
        return function

    def write_run_loop(self, take_chunks: ir.Function) -> str:
        """Run a loop on the pool; on the caller alone while the pool is not running or runs another loop.

        A loop of one iteration leaves the pool free for loops nested in it.
        """
        function = self._begin("flotsam.run_loop", list(RUN_LOOP.args))
        builder, (body, arrays, sizes, strides, rest, others, count, _threads) = self._builder, function.args
        chunks = builder.load(builder.bitcast(sizes, I64.as_pointer()))
        fits = builder.icmp_unsigned("<=", builder.sub(chunks, I64(2)), I64(MAX_THREADS - 2))
        is_open = builder.icmp_signed(">", self._load(OPEN), I64(0))
        is_mine = cgutils.alloca_once_value(builder, ir.Constant(I1, 0))
        with builder.if_then(builder.and_(fits, is_open)), builder.if_then(self._has_second_chunk(arrays)):
            was_in_use = builder.atomic_rmw("xchg", self._slot(IN_USE), I64(1), "acquire")
            builder.store(builder.icmp_unsigned("==", was_in_use, I64(0)), is_mine)
        with builder.if_else(builder.load(is_mine)) as (together, alone):
            with together:
                loop = [builder.ptrtoint(each, I64) for each in (body, arrays, sizes, strides, rest)]
                for nth, value in enumerate([*loop, others, count]):
                    builder.store(value, self._slot(LOOP + nth))
                builder.store(chunks, self._slot(RUNNING))
                number = builder.add(builder.lshr(self._load(OFFER), I64(MAX_THREADS)), I64(1))
                bits = builder.sub(builder.shl(I64(1), chunks), I64(1))
                self._store(builder.or_(builder.shl(number, I64(MAX_THREADS)), bits), OFFER)
                builder.call(take_chunks, [I64(0)])
                polls = cgutils.alloca_once_value(builder, I64(0))
                with self._while(lambda: builder.icmp_signed(">", self._load(RUNNING), I64(0))):
                    self._pause(polls)
                self._store(I64(0), IN_USE)
            with alone:
                builder.call(builder.bitcast(body, LOOP_BODY.as_pointer()), [
                    builder.bitcast(arrays, POINTER.as_pointer()), builder.bitcast(sizes, I64.as_pointer()),
                    builder.bitcast(strides, I64.as_pointer()), rest,
                ])
        builder.ret_void()
        return function.name

    def _has_second_chunk(self, arrays: Any) -> Any:
        """Whether the second chunk of a loop has iterations: numba lists first and last of each, 1 and 0 if none.

        Args: arrays: address of the addresses of the body's arrays, the first of which is that list.
        """
        builder = self._builder
        listed = builder.load(builder.bitcast(arrays, I64.as_pointer()))
        ranges = builder.inttoptr(listed, I64.as_pointer())
        first, last = (builder.load(builder.gep(ranges, [I64(nth)])) for nth in (2, 3))
        return builder.icmp_signed("<=", first, last)

    def write_work(self, take_chunks: ir.Function) -> str:
        """The function that a worker runs until the pool stops; its argument is the worker's number, from 1 up.

        It polls for chunks while the pool is running and a little longer, because the next frame may begin; then it
        sleeps.
        """
        function = self._begin("flotsam.work", [I64])
        builder, (own,) = self._builder, function.args
        polls = cgutils.alloca_once(builder, I64)

        def is_open() -> Any:
            return builder.icmp_signed(">", self._load(OPEN), I64(0))

        def is_patient() -> Any:
            return builder.icmp_unsigned("<", builder.load(polls), I64(SPINS + YIELDS))

        def is_wanted(is_active: Any) -> Any:
            return builder.and_(is_active, builder.icmp_signed("<=", own, self._load(WANTED)))

        def is_not_stopped() -> Any:
            return builder.icmp_unsigned("==", self._load(STOPPED), I64(0))

        with self._while(is_not_stopped):
            builder.store(I64(0), polls)
            with self._while(lambda: builder.and_(is_not_stopped(), is_wanted(builder.or_(is_open(), is_patient())))):
                left = builder.trunc(self._load(OFFER), I32)
                with builder.if_else(builder.icmp_unsigned("==", left, I32(0))) as (idle, busy):
                    with idle:
                        self._pause(polls)
                        with builder.if_then(builder.not_(is_patient())):
                            self._call("usleep", I32, I32(SLEEP))
                    with busy:
                        builder.call(take_chunks, [own])
                        builder.store(I64(0), polls)
            self._lock(True)
            self._add(I64(1), ASLEEP)
            with self._while(lambda: builder.and_(builder.not_(is_wanted(is_open())), is_not_stopped())):
                self._call("pthread_cond_wait", I32, self._address(self._condition), self._address(self._mutex))
            self._add(I64(-1), ASLEEP)
            self._lock(False)
        builder.ret_void()
        return function.name

    def write_signal(self) -> str:
        """Signal that a caller begins (1) or ends (-1), how many workers it wants, and whether they must stop."""
        function = self._begin("flotsam.signal", [I64] * 3)
        builder, (more, wanted, stopped) = self._builder, function.args
        self._lock(True)
        with builder.if_then(builder.icmp_signed(">", more, I64(0))):
            is_open = builder.icmp_signed(">", self._load(OPEN), I64(0))
            before = builder.select(is_open, self._load(WANTED), I64(0))
            self._store(builder.select(builder.icmp_signed(">", before, wanted), before, wanted), WANTED)
        self._store(stopped, STOPPED)
        self._add(more, OPEN)
        must_stop = builder.icmp_unsigned("!=", stopped, I64(0))
        begins = builder.or_(must_stop, builder.icmp_signed(">", more, I64(0)))
        sleeps = builder.icmp_signed(">", self._load(ASLEEP), I64(0))
        with builder.if_then(builder.and_(begins, sleeps)):
            self._call("pthread_cond_broadcast", I32, self._address(self._condition))
        self._lock(False)
        builder.ret_void()
        return function.name

    def _lock(self, begins: bool) -> None:
        self._call("pthread_mutex_lock" if begins else "pthread_mutex_unlock", I32, self._address(self._mutex))

    def _address(self, address: int) -> Any:
        return ir.Constant(I64, address).inttoptr(POINTER)
