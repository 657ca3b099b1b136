"""Script that Blender runs: a list of steps of `order`, named by FLOTSAM_WINDOW_STEPS; each builds on those before."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import driver  # noqa: E402
import order  # noqa: E402

driver.run(getattr(order, os.environ["FLOTSAM_WINDOW_STEPS"]))
