"""What the threads of a team do, as LLVM IR: share the parts of a loop, and wait for the next one.

A team has one table of 64-bit numbers that all its threads see. Who calls a loop notes it there, then offers its parts
as bits of one number, next to the loop's own number; a thread takes a part by clearing its bit there, in one step with
looking, so a thread that comes late to a loop can take nothing from the next. Who calls takes parts as well, waits for
nobody who has taken none, and goes on when none is under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

# Bits of OFFER below the loop's number: no loop has more parts, and no team more threads.
MOST = 32
# Where things stand in the table; what several threads write has two cache lines, as they are fetched, for itself.
OFFER, UNDER_WAY, CALLED, OPEN, WANTED, ENDED, ASLEEP, JOB, PLACES = 0, 16, 32, 48, 49, 50, 51, 64, 80
# How often a thread without work looks again at once, how often when it lets others run first each time, and for how
# long it then sleeps before each look while work is open [us]: 50 us, half a millisecond, and a hundredth of a core.
AT_ONCE, WITH_OTHERS, NAP = 1000, 2000, 50

WHOLE, BYTE, HALF = ir.IntType(64), ir.IntType(8), ir.IntType(32)
BYTES, NOTHING = BYTE.as_pointer(), ir.VoidType()
# What numba makes of the body of a loop: arrays, sizes, strides, and something that is not used.
BODY = ir.FunctionType(NOTHING, [BYTES.as_pointer(), WHOLE.as_pointer(), WHOLE.as_pointer(), BYTES])
# As numba's own `numba_parallel_for`: body, what it gets, how many sizes beside the first, how many arrays, threads.
SHARE = ir.FunctionType(NOTHING, [BYTES] * 5 + [WHOLE] * 3)


def machine_code(codegen: Any, table: int, mutex: int, condition: int) -> dict[str, int]:
    """Addresses of `share`, `serve` and `wake`, by name.

    Args: codegen: numba's; table: address of PLACES numbers of 64 bits; mutex, condition: of what pthread keeps there.
    """
    with global_compiler_lock:
        library = codegen.create_library("flotsam.team")
        module = library.create_ir_module("flotsam.team")
        writer = _Writer(module, table, mutex, condition)
        take = writer.write_take(writer.write_part())
        names = [writer.write_share(take), writer.write_serve(take), writer.write_wake()]
        library.add_ir_module(module)
        library.finalize()
    # Nobody else holds it, and with it its code would go.
    _KEPT.append(library)
    return {name: library.get_pointer_to_function(name) for name in names}


_KEPT: list[Any] = []


class _Writer:
    """Writes the functions of a team."""

    def __init__(self, module: ir.Module, table: int, mutex: int, condition: int) -> None:
        """Args: as `machine_code`."""
        self._module, self._table, self._mutex, self._condition = module, table, mutex, condition
        self._builder = ir.IRBuilder()

    def _begin(self, name: str, takes: list[ir.Type]) -> ir.Function:
        function = ir.Function(self._module, ir.FunctionType(NOTHING, takes), name=name)
        self._builder = ir.IRBuilder(function.append_basic_block())
        return function

    def _place(self, place: int, kind: ir.Type = WHOLE) -> Any:
        return ir.Constant(WHOLE, self._table + 8 * place).inttoptr(kind.as_pointer())

    def _load(self, place: int) -> Any:
        """What others may have written, and all that they wrote before."""
        return self._builder.load_atomic(self._place(place), "acquire", 8)

    def _store(self, value: Any, place: int) -> None:
        """For others to see, and all that was written before."""
        self._builder.store_atomic(value, self._place(place), "release", 8)

    def _add(self, value: Any, place: int) -> None:
        self._builder.atomic_rmw("add", self._place(place), value, "acq_rel")

    def _call(self, name: str, gives: ir.Type, *arguments: Any) -> Any:
        """Of the system, or of the processor."""
        kind = ir.FunctionType(gives, [each.type for each in arguments])
        return self._builder.call(cgutils.get_or_insert_function(self._module, kind, name), arguments)

    @contextmanager
    def _while(self, goes_on: Any) -> Iterator[None]:
        """A loop, while what `goes_on()` writes says so."""
        builder = self._builder
        look, inside, after = (builder.append_basic_block() for _ in range(3))
        builder.branch(look)
        builder.position_at_end(look)
        builder.cbranch(goes_on(), inside, after)
        builder.position_at_end(inside)
        yield
        builder.branch(look)
        builder.position_at_end(after)

    def _rest(self, waited: Any) -> None:
        """Before another look; `waited`: address of how often that was, which is counted on."""
        builder = self._builder
        before = builder.load(waited)
        builder.store(builder.add(before, WHOLE(1)), waited)
        with builder.if_else(builder.icmp_unsigned("<", before, WHOLE(AT_ONCE))) as (soon, later):
            with soon:
                if llvm.get_default_triple().startswith(("x86_64", "amd64")):
                    self._call("llvm.x86.sse2.pause", NOTHING)
            with later:
                self._call("sched_yield", HALF)

    def write_part(self) -> ir.Function:
        """One part of the loop noted: its body, with arrays moved on to the part."""
        function = self._begin("flotsam.part", [WHOLE])
        builder, (part,) = self._builder, function.args
        body, arrays, sizes, strides, rest, others, count = (
            builder.load(self._place(JOB + nth)) for nth in range(len(SHARE.args) - 1)
        )
        arrays, sizes, strides = (
            builder.inttoptr(each, WHOLE.as_pointer()) for each in (arrays, sizes, strides)
        )
        own_sizes = builder.alloca(WHOLE, builder.add(others, WHOLE(1)))
        own_arrays = builder.alloca(WHOLE, count)
        builder.store(WHOLE(1), own_sizes)
        with cgutils.for_range(builder, others, intp=WHOLE) as loop:
            place = [builder.add(loop.index, WHOLE(1))]
            builder.store(builder.load(builder.gep(sizes, place)), builder.gep(own_sizes, place))
        with cgutils.for_range(builder, count, intp=WHOLE) as loop:
            place = [loop.index]
            on = builder.mul(part, builder.load(builder.gep(strides, place)))
            builder.store(builder.add(builder.load(builder.gep(arrays, place)), on), builder.gep(own_arrays, place))
        builder.call(builder.inttoptr(body, BODY.as_pointer()), [
            builder.bitcast(own_arrays, BYTES.as_pointer()), own_sizes, strides, builder.inttoptr(rest, BYTES),
        ])
        builder.ret_void()
        return function

    def write_take(self, part: ir.Function) -> ir.Function:
        """Take parts until none is left, first the one asked for: threads keep to theirs, which their caches know."""
        function = self._begin("flotsam.take", [WHOLE])
        builder, (wish,) = self._builder, function.args
        first = builder.shl(WHOLE(1), wish)
        count_zeros = cgutils.get_or_insert_function(
            self._module, ir.FunctionType(WHOLE, [WHOLE, ir.IntType(1)]), "llvm.cttz.i64"
        )
        offer = builder.alloca(WHOLE)

        def is_left() -> Any:
            builder.store(self._load(OFFER), offer)
            return builder.icmp_unsigned("!=", builder.trunc(builder.load(offer), HALF), HALF(0))

        with self._while(is_left):
            there = builder.load(offer)
            any_left = builder.shl(WHOLE(1), builder.call(count_zeros, [there, ir.Constant(ir.IntType(1), 1)]))
            is_free = builder.icmp_unsigned("!=", builder.and_(there, first), WHOLE(0))
            bit = builder.select(is_free, first, any_left)
            tried = builder.cmpxchg(self._place(OFFER), there, builder.xor(there, bit), "acq_rel", "monotonic")
            with builder.if_then(builder.extract_value(tried, 1)):
                builder.call(part, [builder.call(count_zeros, [bit, ir.Constant(ir.IntType(1), 1)])])
                self._add(WHOLE(-1), UNDER_WAY)
        builder.ret_void()
        return function

    def write_share(self, take: ir.Function) -> str:
        """A loop, by all threads that are there; alone where none is, or where another loop is under way."""
        function = self._begin("flotsam.share", list(SHARE.args))
        builder, (body, arrays, sizes, strides, rest, others, count, _threads) = self._builder, function.args
        parts = builder.load(builder.bitcast(sizes, WHOLE.as_pointer()))
        fits = builder.icmp_unsigned("<=", builder.sub(parts, WHOLE(2)), WHOLE(MOST - 2))
        is_open = builder.icmp_signed(">", self._load(OPEN), WHOLE(0))
        is_mine = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(1), 0))
        with builder.if_then(builder.and_(fits, is_open)):
            was_called = builder.atomic_rmw("xchg", self._place(CALLED), WHOLE(1), "acquire")
            builder.store(builder.icmp_unsigned("==", was_called, WHOLE(0)), is_mine)
        with builder.if_else(builder.load(is_mine)) as (together, alone):
            with together:
                job = [builder.ptrtoint(each, WHOLE) for each in (body, arrays, sizes, strides, rest)]
                for nth, value in enumerate([*job, others, count]):
                    builder.store(value, self._place(JOB + nth))
                builder.store(parts, self._place(UNDER_WAY))
                number = builder.add(builder.lshr(self._load(OFFER), WHOLE(MOST)), WHOLE(1))
                bits = builder.sub(builder.shl(WHOLE(1), parts), WHOLE(1))
                self._store(builder.or_(builder.shl(number, WHOLE(MOST)), bits), OFFER)
                builder.call(take, [WHOLE(0)])
                waited = cgutils.alloca_once_value(builder, WHOLE(0))
                with self._while(lambda: builder.icmp_signed(">", self._load(UNDER_WAY), WHOLE(0))):
                    self._rest(waited)
                self._store(WHOLE(0), CALLED)
            with alone:
                builder.call(builder.bitcast(body, BODY.as_pointer()), [
                    builder.bitcast(arrays, BYTES.as_pointer()), builder.bitcast(sizes, WHOLE.as_pointer()),
                    builder.bitcast(strides, WHOLE.as_pointer()), rest,
                ])
        builder.ret_void()
        return function.name

    def write_serve(self, take: ir.Function) -> str:
        """What a helper does until the team ends; takes its number, from one up.

        It looks for parts while work is open, and a little longer, for the next frame may begin; else it sleeps.
        """
        function = self._begin("flotsam.serve", [WHOLE])
        builder, (own,) = self._builder, function.args
        waited = cgutils.alloca_once(builder, WHOLE)

        def is_open() -> Any:
            return builder.icmp_signed(">", self._load(OPEN), WHOLE(0))

        def is_patient() -> Any:
            return builder.icmp_unsigned("<", builder.load(waited), WHOLE(AT_ONCE + WITH_OTHERS))

        def is_wanted(anyhow: Any) -> Any:
            return builder.and_(anyhow, builder.icmp_signed("<=", own, self._load(WANTED)))

        def goes_on() -> Any:
            return builder.icmp_unsigned("==", self._load(ENDED), WHOLE(0))

        with self._while(goes_on):
            builder.store(WHOLE(0), waited)
            with self._while(lambda: builder.and_(goes_on(), is_wanted(builder.or_(is_open(), is_patient())))):
                left = builder.trunc(self._load(OFFER), HALF)
                with builder.if_else(builder.icmp_unsigned("==", left, HALF(0))) as (idle, busy):
                    with idle:
                        self._rest(waited)
                        with builder.if_then(builder.not_(is_patient())):
                            self._call("usleep", HALF, HALF(NAP))
                    with busy:
                        builder.call(take, [own])
                        builder.store(WHOLE(0), waited)
            self._lock(True)
            self._add(WHOLE(1), ASLEEP)
            with self._while(lambda: builder.and_(builder.not_(is_wanted(is_open())), goes_on())):
                self._call("pthread_cond_wait", HALF, self._bytes(self._condition), self._bytes(self._mutex))
            self._add(WHOLE(-1), ASLEEP)
            self._lock(False)
        builder.ret_void()
        return function.name

    def write_wake(self) -> str:
        """Work begins (1) or ends (-1): takes that, how many helpers it wants, and whether all is over."""
        function = self._begin("flotsam.wake", [WHOLE] * 3)
        builder, (more, wanted, ended) = self._builder, function.args
        self._lock(True)
        with builder.if_then(builder.icmp_signed(">", more, WHOLE(0))):
            is_open = builder.icmp_signed(">", self._load(OPEN), WHOLE(0))
            before = builder.select(is_open, self._load(WANTED), WHOLE(0))
            self._store(builder.select(builder.icmp_signed(">", before, wanted), before, wanted), WANTED)
        self._store(ended, ENDED)
        self._add(more, OPEN)
        is_over = builder.icmp_unsigned("!=", ended, WHOLE(0))
        begins = builder.or_(is_over, builder.icmp_signed(">", more, WHOLE(0)))
        sleeps = builder.icmp_signed(">", self._load(ASLEEP), WHOLE(0))
        with builder.if_then(builder.and_(begins, sleeps)):
            self._call("pthread_cond_broadcast", HALF, self._bytes(self._condition))
        self._lock(False)
        builder.ret_void()
        return function.name

    def _lock(self, begins: bool) -> None:
        self._call("pthread_mutex_lock" if begins else "pthread_mutex_unlock", HALF, self._bytes(self._mutex))

    def _bytes(self, address: int) -> Any:
        return ir.Constant(WHOLE, address).inttoptr(BYTES)
