"""What kernels may look like: how many parameters they have, and how the tuples they take are named."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "engine"
DECORATORS = {"kernel", "parallel_kernel", "building_kernel", "part_of_kernel"}
MOST_PARAMETERS = 12
# Kernels that still have more; nothing may be added.
STILL_ABOVE = {
    "solver/collide/narrow_phase/contacts.py:_finish",
    "solver/collide/narrow_phase/contacts.py:find_edge_contacts",
    "solver/collide/narrow_phase/contacts.py:find_face_contacts",
    "solver/collide/narrow_phase/edge_contact.py:touch_edges",
    "solver/collide/narrow_phase/face_contact.py:_note_face",
    "solver/collide/narrow_phase/face_contact.py:_touch_another_face",
    "solver/collide/narrow_phase/face_contact.py:touch_faces",
    "solver/collide/narrow_phase/spheres.py:find_sphere_contacts",
    "solver/collide/response/response.py:bounce",
    "solver/collide/response/response.py:list_touching",
    "solver/collide/response/response.py:solve_contacts",
    "solver/constraints/contact/contacts.py:_hold_several",
    "solver/constraints/contact/contacts.py:begin_holds",
    "solver/constraints/contact/contacts.py:hold_apart",
    "solver/constraints/contact/contacts.py:hold_others",
    "solver/constraints/contact/contacts.py:hold_range",
    "solver/constraints/contact/impulses.py:shift_row",
    "solver/constraints/contact/impulses.py:shift_rows",
    "solver/constraints/contact/one_sided.py:hold_one",
    "solver/rigid/contact/finish.py:bounce_rigid",
    "solver/rigid/contact/finish.py:move_bodies",
    "solver/rigid/contact/finish.py:owe_soft_angular_momentum",
    "solver/rigid/contact/finish.py:undo_overlap",
    "solver/rigid/contact/impulses.py:begin_impulses",
    "solver/rigid/contact/impulses.py:push_both",
    "solver/rigid/contact/impulses.py:solve_impulses",
    "solver/rigid/contact/inner_contact.py:_push",
    "solver/rigid/contact/inner_contact.py:begin_body_holds",
    "solver/rigid/contact/inner_contact.py:hold_bodies",
    "solver/rigid/contact/prepare.py:list_rigid",
    "solver/rigid/contact/prepare.py:prepare_rigid",
    "solver/rigid/contact/round_off.py:_furthest_out",
    "solver/rigid/contact/round_off.py:_stand_square",
    "solver/rigid/contact/round_off.py:round_off",
    "solver/rigid/sleeping.py:note_still",
    "solver/vector/contacts.py:_hold_block",
    "solver/vector/contacts.py:hold_apart",
}


def nodes(kind: type) -> Iterator[tuple[str, ast.AST]]:
    """Every node of a kind in the engine, and the file it stands in."""
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                yield str(path.relative_to(ENGINE)), node


def name_of(expression: ast.expr) -> str:
    """The last name of a decorator or base class, without its arguments."""
    called = expression.func if isinstance(expression, ast.Call) else expression
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def kernels() -> dict[str, int]:
    """Parameters of each kernel, by file and name."""
    found = {}
    for file, function in nodes(ast.FunctionDef):
        if any(name_of(decorator) in DECORATORS for decorator in function.decorator_list):
            arguments = function.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            found[f"{file}:{function.name}"] = len(every) + (arguments.vararg is not None)
    return found


def test_kernels_have_few_parameters():
    found = kernels()
    assert len(found) > 200
    many = {name: count for name, count in found.items() if count > MOST_PARAMETERS and name not in STILL_ABOVE}
    assert not many, f"more than {MOST_PARAMETERS} parameters, take NamedTuples of arrays: {many}"


def test_the_list_of_exceptions_only_shrinks():
    found = kernels()
    done = {name for name in STILL_ABOVE if found.get(name, 0) <= MOST_PARAMETERS}
    assert not done, f"take these out of STILL_ABOVE: {sorted(done)}"


def test_named_tuples_have_names_of_their_own():
    """Numba mixes up two classes of one name that hold the same types, and then looks types up slowly at each call."""
    names = Counter(
        node.name for _file, node in nodes(ast.ClassDef) if any(name_of(base) == "NamedTuple" for base in node.bases)
    )
    assert len(names) > 5
    assert max(names.values()) == 1, names.most_common(3)
