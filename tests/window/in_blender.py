"""Script that Blender runs: the list of `order` that FLOTSAM_WINDOW_STEPS names; each step builds on those before."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import driver  # noqa: E402
import order  # noqa: E402

driver.run(getattr(order, os.environ["FLOTSAM_WINDOW_STEPS"]))
