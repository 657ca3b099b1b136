"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent

# Without the Makefile too, compiled kernels of the tests stay out of the user's own cache.
os.environ.setdefault("FLOTSAM_KERNEL_CACHE", str(ROOT / ".venv" / "kernels"))
