"""Which modules may import which: the contracts of pyproject.toml, and what may be imported when Blender starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[2]


def test_import_contracts_are_kept(capsys):
    broken = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert broken == 0, capsys.readouterr().out


def test_registering_imports_neither_numba_nor_numpy():
    script = """
import sys
import bpy
before = set(sys.modules)
import flotsam
flotsam.register()
flotsam.unregister()
flotsam.register()
heavy = {"numba", "llvmlite", "numpy", "tqdm", "tomllib"} & (set(sys.modules) - before)
sys.exit(f"imported {sorted(heavy)}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_specs_are_free_of_numpy():
    """Blender makes its properties from them at start."""
    script = """
import importlib, pathlib, sys, types
root = pathlib.Path(sys.argv[1])
package = types.ModuleType("engine")
package.__path__ = [str(root / "engine")]
sys.modules["engine"] = package
importlib.import_module("engine.spec")
heavy = {"numba", "numpy", "bpy"} & set(sys.modules)
sys.exit(f"imported {sorted(heavy)}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
