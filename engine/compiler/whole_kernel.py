"""Whole kernels: all kernels that a kernel calls are linked into it unoptimized, and LLVM then optimizes it once.

Numba optimizes each function by itself, again in each of its callers, and generates machine code for each copy. The
order of loading then decides which module's copy of a callee is called, and two copies may fuse a multiplication with
an addition in different places. So a process that compiled the rigid-body kernels computed other bits than one that
loaded them. A whole kernel calls nothing outside itself, so its code depends on its sources alone.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import sigutils
from numba.core import types as numba_types
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from .missing import compile_missing
from .numba_patches import patched, replaced

_ENVIRONMENT = "_ZN08NumbaEnv"


class _NoCodegen:
    """Replaces the code generator of a part, which has no machine code to register an environment in."""

    def set_env(self, _name: str, _environment: Any) -> None:
        """Does nothing: `Part.make_whole` registers the environments of all parts."""


class Part(JITCodeLibrary):
    """A kernel's lowered, unoptimized module together with its callees' modules; `make_whole` optimizes it."""

    is_whole = False

    @property
    def codegen(self) -> Any:
        """Numba's code generator, in which environments are registered."""
        return self._codegen if self.is_whole else _NoCodegen()

    def finalize(self) -> None:
        """Link the callees in; nothing can be added afterwards."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._final_module.verify()
        self._finalized = True

    def make_whole(self) -> None:
        """Optimize and make machine code. Callers of this kernel still link the unoptimized module."""
        self._get_module_for_linking()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal
        self._optimize_final_module()
        self._final_module.verify()
        self.is_whole = True
        self._finalize_final_module()
        for value in self._final_module.global_variables:
            environment = lookup_environment(value.name) if value.name.startswith(_ENVIRONMENT) else None
            if environment is not None:
                self.codegen.set_env(value.name, environment)

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function; 0 in a part, which has no machine code."""
        self._ensure_finalized()
        return super().get_pointer_to_function(name) if self.is_whole else 0

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Machine code and names. Kernels from disk are never linked into others, see `Kernel.compile`."""
        names = [
            function.name for function in self._final_module.functions
            if not function.is_declaration and function.linkage == llvm.Linkage.external
        ]
        text = "\n".join(f'define void @"{name}"() {{ unreachable }}' for name in names)
        return self.name, "object", (self._get_compiled_object(), llvm.parse_assembly(text).as_bitcode())


class Kernel(CPUDispatcher):
    """Numba's dispatcher of a function that is compiled to a whole kernel."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Numba's own `_cache` stays a NullCache: only whole kernels are written to disk and read from it.
        self.disk: Any = NullCache()
        self._wholes: dict[tuple[Any, ...], Any] = {}

    def compile(self, sig: Any) -> Any:
        """Compile for the types of `sig`: as a part inside another kernel's compile, else whole; return the entry."""
        types = tuple(sigutils.normalize_signature(sig)[0])
        with global_compiler_lock:
            if _is_within_a_compile():
                types = tuple(_widened(kind) for kind in types)
                if types in self.overloads and not isinstance(self.overloads[types].library, Part):
                    del self.overloads[types]
                return super().compile(types)
            is_there = self._load(sig, types)
        # Without the lock: it may take long, and other threads may need a kernel.
        while not is_there and compile_missing():
            with global_compiler_lock:
                is_there = self._load(sig, types)
        with global_compiler_lock:
            if not self._load(sig, types):
                self._keep(types, self._compile_whole(sig, types))
            return self._wholes[types].entry_point

    def _load(self, sig: Any, types: tuple[Any, ...]) -> bool:
        """Read a whole kernel from disk unless this process has it; returns whether it has it now."""
        if types not in self._wholes:
            whole = self.disk.load_overload(sig, self.targetctx)
            if whole is None:
                return False
            self.overloads.setdefault(types, whole)
            self._keep(types, whole)
        return True

    def _keep(self, types: tuple[Any, ...], whole: Any) -> None:
        """Use a whole kernel for calls with these types."""
        self._wholes[types] = whole
        self._insert([each._code for each in types], whole.entry_point, False)

    def _compile_whole(self, sig: Any, types: tuple[Any, ...]) -> Any:
        """Compile a whole kernel and write it to disk."""
        with patched(), replaced(JITCPUCodegen, "_library_class", Part):
            super().compile(sig)
        part = self.overloads[types]
        part.library.make_whole()
        entry = self.targetctx.get_executable(part.library, part.fndesc, part.environment)
        whole = part._replace(entry_point=entry)
        self.disk.save_overload(sig, whole)
        return whole

    def add_overload(self, cres: Any) -> None:
        """Register a part for callers within kernels; calls from Python use whole kernels only."""
        self.overloads[tuple(cres.signature.args)] = cres


def _is_within_a_compile() -> bool:
    """Whether another kernel of ours is being compiled; the caller holds numba's lock."""
    return JITCPUCodegen._library_class is Part


def _widened(kind: Any) -> Any:
    """The type for which a part is compiled: integers of any width and constants share one compile."""
    kind = numba_types.unliteral(kind)
    is_short = isinstance(kind, numba_types.Integer) and kind.signed and kind.bitwidth < numba_types.int64.bitwidth
    return numba_types.int64 if is_short else kind
