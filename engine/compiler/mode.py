"""Decides between tuned and plain mode. Imports no numba.

Tuned mode patches and bypasses parts of numba: whole kernels, patches, a thread pool, vector kernels in LLVM IR. Plain
mode uses numba's public interface only: `njit`, numba's own threads, the plain twins of the vector kernels. It is
slower and gives the same results to the tolerances of the tests.

Plain mode is used when FLOTSAM_PLAIN_NUMBA is set, when the installed numba is not in `TESTED_NUMBA`, or when the
self-check failed on this machine (`precompile.self_check`). The decision holds for the whole process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

# Add a version here after the tests have passed with it in tuned mode.
TESTED_NUMBA = ("0.65.1", "0.67.0", "0.68.1")
ENVIRONMENT_VARIABLE = "FLOTSAM_PLAIN_NUMBA"

_PASSED = "passed"
_SLOWER = "Flotsam uses plain numba kernels, which are slower"

# The decision of this process: no entry before the first call, then the reason for plain mode, or None.
_decided: list[str | None] = []


def plain_reason(folder: Path) -> str | None:
    """One sentence that says why this process uses plain mode; None in tuned mode.

    Args:
        folder: the kernel cache folder of tuned mode, which keeps the result of the self-check.
    """
    if not _decided:
        _decided.append(_find_reason(folder))
    return _decided[0]


def use_plain(reason: str) -> None:
    """Change this process to plain mode; call it before the first kernel is imported."""
    _decided[:] = [reason]


def _find_reason(folder: Path) -> str | None:
    if os.environ.get(ENVIRONMENT_VARIABLE, "0") not in ("", "0"):
        return f"{_SLOWER}, because {ENVIRONMENT_VARIABLE} is set."
    version = numba_version()
    if version not in TESTED_NUMBA:
        return f"{_SLOWER}, because numba {version} is not one of the tested versions {', '.join(TESTED_NUMBA)}."
    failure = _result(folder)
    return None if failure in (None, _PASSED) else failed_sentence(folder, failure)


def numba_version() -> str:
    """The version of the installed numba; "unknown" without one."""
    loaded = sys.modules.get("numba")
    if loaded is not None:
        return loaded.__version__
    # This import takes longer than that of all panels of the add-on.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("numba")
    except PackageNotFoundError:
        return "unknown"


def failed_sentence(folder: Path, failure: str) -> str:
    """One sentence about a failed self-check.

    Args:
        folder: as in `plain_reason`.
        failure: what the tuned kernels did, as a verb phrase.
    """
    return (
        f"{_SLOWER}, because its tuned kernels {failure} in a check on this machine; "
        f"remove {_result_file(folder)} to check again."
    )


def is_checked(folder: Path) -> bool:
    """Whether the self-check has run on this machine with this Flotsam, Python and numba."""
    return _result(folder) is not None


def remember_check(folder: Path, failure: str | None) -> None:
    """Keep the result of the self-check for later sessions; a folder that cannot be written keeps nothing.

    Args:
        folder: as in `plain_reason`.
        failure: as in `failed_sentence`, None when the check passed.
    """
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        _result_file(folder).write_text(failure or _PASSED, encoding="utf-8")


def _result(folder: Path) -> str | None:
    try:
        return _result_file(folder).read_text(encoding="utf-8") or None
    except OSError:
        return None


def _result_file(folder: Path) -> Path:
    """The file with the result; its name distinguishes machines that share a home folder."""
    import hashlib
    import platform

    checked = f"{platform.node()}|{platform.machine()}|{sys.implementation.cache_tag}|{numba_version()}"
    return folder / f"self-check-{hashlib.sha256(checked.encode()).hexdigest()[:10]}"
