"""Contacts in the inner steps, sixteen at a time, where each contact moves one row only, as against a collider.

The vector twin of `contact.one_sided`, also in double precision. Impulses are summed in lanes, so sums are rounded in
another order.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ...compiler.held import field_value
from ...compiler.kernels import kernel, parallel_kernel, prange
from ..collide.response.effective_mass_limits import SHORTEST_LEVER
from ..constraints.contact.contacts import hold_others, hold_range
from ..constraints.momentum import CONTACT_SUMS
from .ir.lanes import F64, I64, LANES, WIDE, Lanes, is_row_array
from .ir.writer import FLAGS, I32, Writer, field_type

# Rows of the table of one-sided contacts: normal (3), friction coefficient, creep (3), and the weight of the moved row.
COLUMNS = 8


class Wide(Writer):
    """Writes code for sixteen numbers in double precision."""

    register = WIDE

    def maximum(self, a: Any, b: Any) -> Any:
        """Lane-wise maximum."""
        return self.builder.select(self.above(a, b), a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        """Lane-wise minimum."""
        return self.builder.select(self.above(b, a), a, b)

    def above(self, a: Any, b: Any) -> Any:
        """Lanes where a > b."""
        return self.builder.fcmp_ordered(">", a, b, flags=FLAGS)

    def negated(self, value: Any) -> Any:
        """-value."""
        return self.sub(self.constant(0.0), value)

    def dot(self, a: list[Any], b: list[Any]) -> Any:
        """Dot product of two vectors (x, y, z)."""
        return self.add(self.mul(a[0], b[0]), self.add(self.mul(a[1], b[1]), self.mul(a[2], b[2])))

    def total(self, value: Any) -> Any:
        """Sum of all lanes, added in pairs."""
        found = [self.builder.extract_element(value, ir.Constant(I32, lane)) for lane in range(LANES)]
        while len(found) > 1:
            found = [self.add(one, other) for one, other in zip(found[::2], found[1::2], strict=True)]
        return found[0]


@intrinsic
def hold_sixteens(typing_context, rows, contacts, done, steps, h, left, block, first, groups):
    """Project the contacts of `groups` times sixteen pairs of a block, from pair `first` on.

    Args: rows, contacts: see `contact.contacts.hold_apart` and `begin_sixteens`; left: time to the substep's end [s].

    Returns the kinetic energy removed [J].
    """
    if not (is_row_array(field_type(rows, "moved")) and is_row_array(field_type(rows, "at"), types.float64)):
        return None
    numbers = [types.int64, types.int64, types.float64, types.float64]
    return types.float64(rows, contacts, *numbers, *[types.int64] * 3), _hold_sixteens


def _hold_sixteens(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes, wide = Lanes(context, builder), Wide(context, builder)
    rows_type, contacts_type = signature.args[:2]
    rows, contacts, done, steps, h, left, block, first, groups = arguments
    pointers = lanes.field_pointers(rows_type, rows, ("at", "moved", "reached", "began"))
    pointers += lanes.field_pointers(contacts_type, contacts, ("own", "columns", "separation", "held"))
    columns = field_value(builder, contacts_type, contacts, contacts_type.fields.index("columns"))
    across = lanes.extent(field_type(contacts_type, "columns"), columns, 1)
    numbers = [wide.spread(each) for each in (builder.sitofp(done, F64), builder.sitofp(steps, F64), h, left)]
    (impulse,) = lanes.field_pointers(contacts_type, contacts, ("impulse",))
    sums = [cgutils.alloca_once_value(builder, wide.constant(0.0)) for _ in range(CONTACT_SUMS + 1)]
    with cgutils.for_range(builder, groups, intp=I64) as loop:
        place = builder.add(first, builder.shl(loop.index, ir.Constant(I64, 4)))
        _hold_sixteen(lanes, wide, pointers, across, place, numbers, sums)
    totals = [wide.total(builder.load(each)) for each in sums]
    row = builder.mul(block, ir.Constant(I64, CONTACT_SUMS))
    for nth, total in enumerate(totals[:CONTACT_SUMS]):
        where = builder.gep(impulse, [builder.add(row, ir.Constant(I64, nth))])
        builder.store(wide.add(builder.load(where), total), where)
    return totals[CONTACT_SUMS]


def _hold_sixteen(
    lanes: Lanes, wide: Wide, pointers: list[Any], across: Any, place: Any, numbers: list[Any], sums: list[Any]
) -> None:
    """As `contact.one_sided.hold_one`, line by line."""
    build, zero, one = lanes.builder, wide.constant(0.0), wide.constant(1.0)
    at, moved, reached, began, own, columns, separation, held = pointers
    done, steps, h, left = numbers
    nx, ny, nz, coefficient, cx, cy, cz, part = lanes.column_parts(columns, across, place, COLUMNS)
    normal, creep = [nx, ny, nz], [cx, cy, cz]
    addresses = lanes.row_addresses(moved, own, place)
    *here, weight_here = (lanes.widen(each) for each in lanes.columns(addresses))
    before, predicted = (
        [lanes.widen(each) for each in lanes.columns(lanes.row_addresses(rows, own, place))[:3]]
        for rows in (began, reached)
    )
    away = wide.dot(normal, [
        wide.add(wide.mul(part, x), wide.mul(done, c)) for x, c in zip(here, creep, strict=True)
    ])
    depth = wide.negated(wide.add(lanes.load(separation, place), away))
    is_near = build.and_(wide.above(depth, zero), wide.above(weight_here, zero))
    # Displacement of the row itself, and relative to the other side.
    displacement = [wide.mul(part, wide.sub(x, b)) for x, b in zip(here, before, strict=True)]
    relative = [wide.add(w, c) for w, c in zip(displacement, creep, strict=True)]
    along = wide.dot(normal, relative)
    row_inv_mass = wide.mul(wide.mul(part, part), weight_here)
    size = wide.mul(wide.maximum(part, wide.negated(part)), weight_here)
    total_inv_mass = wide.maximum(row_inv_mass, wide.mul(wide.constant(SHORTEST_LEVER), size))
    correction = wide.minimum(depth, wide.maximum(wide.negated(along), zero))
    reach = wide.sub(wide.dot(normal, displacement), along)
    safe = build.select(wide.above(row_inv_mass, zero), row_inv_mass, one)
    reach = wide.sub(reach, wide.div(wide.mul(wide.dot(normal, displacement), total_inv_mass), safe))
    shortened = wide.minimum(correction, wide.maximum(reach, zero))
    correction = build.select(wide.above(total_inv_mass, row_inv_mass), shortened, correction)
    is_held = build.and_(is_near, wide.above(correction, zero))
    correction = build.select(is_held, correction, zero)
    lanes.store(wide.add(lanes.load(held, place), wide.mul(correction, steps)), held, place)
    approach = wide.dot(normal, [
        wide.add(wide.mul(part, wide.sub(r, b)), c) for r, b, c in zip(predicted, before, creep, strict=True)
    ])
    approach = wide.minimum(wide.maximum(approach, along), zero)
    stopped = wide.minimum(correction, wide.negated(approach))
    slip = [wide.sub(u, wide.mul(along, n)) for u, n in zip(relative, normal, strict=True)]
    square, friction_limit = wide.dot(slip, slip), wide.mul(coefficient, correction)
    # As `contact.impulses.friction_fraction`; lanes without slip divide by one.
    is_fast = wide.above(square, wide.mul(friction_limit, friction_limit))
    friction = wide.div(friction_limit, _root(lanes, build.select(is_fast, square, one)))
    friction = build.select(is_fast, friction, one)
    shift = [wide.sub(wide.mul(correction, n), wide.mul(friction, u)) for n, u in zip(normal, slip, strict=True)]
    inv_mass_h = build.select(is_held, wide.mul(total_inv_mass, h), one)
    scale = build.select(is_held, wide.div(part, inv_mass_h), zero)
    weight = wide.mul(wide.mul(scale, h), weight_here)
    there = [lanes.narrow(wide.add(x, wide.mul(weight, d))) for x, d in zip(here, shift, strict=True)]
    lanes.store_quarters(lanes.transpose([*there, lanes.narrow(weight_here)]), addresses)
    impulse = [wide.mul(scale, d) for d in shift]
    arm = [wide.add(x, b) for x, b in zip(_places(lanes, at, own, place), before, strict=True)]
    moment = [
        wide.sub(wide.mul(arm[a], impulse[b]), wide.mul(arm[b], impulse[a])) for a, b in ((1, 2), (2, 0), (0, 1))
    ]
    lost_energy = wide.mul(wide.negated(stopped), wide.add(wide.add(approach, approach), stopped))
    lost_energy = wide.div(lost_energy, wide.mul(wide.mul(wide.constant(2.0), inv_mass_h), h))
    impulse_time = [wide.mul(left, j) for j in impulse]
    impulse_time2 = [wide.mul(left, j) for j in impulse_time]
    for total, value in zip(
        sums, (*impulse, *impulse_time, *moment, *impulse_time2, build.select(is_held, lost_energy, zero)), strict=True
    ):
        wide.accumulate(total, value)


def _root(lanes: Lanes, value: Any) -> Any:
    function = ir.FunctionType(WIDE, [WIDE])
    root = cgutils.get_or_insert_function(lanes.builder.module, function, f"llvm.sqrt.v{LANES}f64")
    return lanes.builder.call(root, [value])


def _places(lanes: Lanes, at: Any, own: Any, place: Any) -> list[Any]:
    """x, y and z of sixteen rows in double precision, from an array (r, 4)."""
    build, found = lanes.builder, [ir.Constant(WIDE, ir.Undefined)] * 3
    for lane in range(LANES):
        row = build.sext(lanes.item(own, build.add(place, ir.Constant(I64, lane))), I64)
        corner = build.shl(row, ir.Constant(I64, 2))
        for axis in range(3):
            value = lanes.item(at, build.add(corner, ir.Constant(I64, axis)))
            found[axis] = build.insert_element(found[axis], value, ir.Constant(I32, lane))
    return found


@kernel
def begin_sixteens(contacts):
    """Find groups of sixteen consecutive pairs of a block that each move a single row, all of them different.

    Args:
        contacts: `constraints.columns.ContactColumns` as `contact.contacts.begin_contacts` leaves them. Out: own (m,)
            int32, the row that each pair moves; columns (COLUMNS, m), see there; is_even (m,) bool, true at the first
            pair of such a group. Groups are counted from the start of each block.
    """
    start, rows, sides = contacts.start, contacts.rows, contacts.sides
    own, columns, is_even = contacts.own, contacts.columns, contacts.is_even
    for block in range(contacts.impulse.shape[0]):
        for first in range(start[block], start[block + 1] - LANES + 1, LANES):
            last = -1
            fits = True
            for m in range(first, first + LANES):
                # Ascending rows are all different.
                fits &= sides[m, 0] != 0.0 and sides[m, 1] == 0.0 and rows[m, 0] > last
                last = rows[m, 0]
            is_even[first] = fits
            if not fits:
                continue
            for m in range(first, first + LANES):
                own[m] = rows[m, 0]
                columns[7, m] = sides[m, 0]
                columns[3, m] = contacts.planes[m, 3]
                for k in range(3):
                    columns[k, m] = contacts.planes[m, k]
                    columns[4 + k, m] = contacts.creep[m, k]


@parallel_kernel
def hold_apart(rows, contacts, islands, g, done, left, h):
    """As `contact.contacts.hold_apart`."""
    start = contacts.start
    steps = islands.steps[g]
    own = islands.block
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = own[place]
        _hold_block(start[block], start[block + 1], block, rows, contacts, done, left, steps, h)
    hold_others(rows, contacts, islands, g, done, left, h)


@kernel
def _hold_block(first, stop, block, rows, contacts, done, left, steps, h):
    """Project the pairs first : stop of a block."""
    is_even = contacts.is_even
    m = first
    while m < stop:
        groups = 0
        while m + (groups + 1) * LANES <= stop and is_even[m + groups * LANES]:
            groups += 1
        if groups > 0:
            contacts.energy[block] += hold_sixteens(
                rows, contacts, done, steps, h, left * h, block, m, groups
            )
            m += groups * LANES
        else:
            last = min(m + LANES, stop)
            hold_range(m, last, block, rows, contacts, done, left, steps, h)
            m = last
