"""Kernels compiled whole: what a kernel calls is written into it as it was lowered, and all of it is optimized once.

Numba optimizes every function by itself, again in each that calls it, and makes machine code of each: more than twice
the work for LLVM. It also leaves it to the order of loading which module's copy of a callee a call reaches, and two
copies may fuse a multiplication with an addition in different places: the process that compiled rigid bodies came to
other bits than one that loads them. A whole kernel calls nothing but itself, so its code depends on its sources alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from .numba_patches import calls_remembered

_ENVIRONMENT = "_ZN08NumbaEnv"


class _NoCodegen:
    """A part has no machine code, so there is nowhere to note its environment."""

    def set_env(self, _name: str, _environment: Any) -> None:
        """Nothing: `Part.make_whole` does it for all parts."""


class Part(JITCodeLibrary):
    """What was lowered and is not optimized, with what it calls; made whole when Python calls it."""

    is_whole = False

    @property
    def codegen(self) -> Any:
        """As in numba, where environments are noted."""
        return self._codegen if self.is_whole else _NoCodegen()

    def finalize(self) -> None:
        """Write in what this calls; nothing can be added any more."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._final_module.verify()
        self._finalized = True

    def make_whole(self) -> None:
        """Optimize, and make machine code; who calls this kernel still gets it as it was lowered."""
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
        """As in numba; a part has no address."""
        self._ensure_finalized()
        return super().get_pointer_to_function(name) if self.is_whole else 0

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Machine code and names: nobody links what comes from the disk, see `Kernel.compile`."""
        names = [
            function.name for function in self._final_module.functions
            if not function.is_declaration and function.linkage == llvm.Linkage.external
        ]
        text = "\n".join(f'define void @"{name}"() {{ unreachable }}' for name in names)
        return self.name, "object", (self._get_compiled_object(), llvm.parse_assembly(text).as_bitcode())


class Kernel(CPUDispatcher):
    """Numba's dispatcher of a function whose machine code is whole."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Numba's own `_cache` stays the one that keeps nothing: only what is whole goes to the disk and comes from it.
        self.disk: Any = NullCache()
        self._wholes: dict[tuple[Any, ...], Any] = {}

    def compile(self, sig: Any) -> Any:
        """Compile for the types of `sig`: as a part while another kernel is compiled, else whole; returns the entry."""
        with global_compiler_lock:
            types = tuple(sigutils.normalize_signature(sig)[0])
            if _inside():
                if types in self.overloads and not isinstance(self.overloads[types].library, Part):
                    del self.overloads[types]
                return super().compile(sig)
            if types not in self._wholes:
                self._wholes[types] = self._load_or_compile(sig, types)
                self._insert([each._code for each in types], self._wholes[types].entry_point, False)
            return self._wholes[types].entry_point

    def _load_or_compile(self, sig: Any, types: tuple[Any, ...]) -> Any:
        """A whole kernel from the disk, else compiled, and kept."""
        whole = self.disk.load_overload(sig, self.targetctx)
        if whole is not None:
            self.overloads.setdefault(types, whole)
            return whole
        with _parts(), calls_remembered():
            super().compile(sig)
        part = self.overloads[types]
        part.library.make_whole()
        entry = self.targetctx.get_executable(part.library, part.fndesc, part.environment)
        whole = part._replace(entry_point=entry)
        self.disk.save_overload(sig, whole)
        return whole

    def add_overload(self, cres: Any) -> None:
        """Note a part; Python's calls pass it by."""
        self.overloads[tuple(cres.signature.args)] = cres


def _inside() -> bool:
    """Whether what is compiled now is a part."""
    return JITCPUCodegen._library_class is Part


@contextmanager
def _parts() -> Iterator[None]:
    """What is compiled inside are parts; by who holds numba's lock."""
    before = JITCPUCodegen._library_class
    JITCPUCodegen._library_class = Part
    try:
        yield
    finally:
        JITCPUCodegen._library_class = before
