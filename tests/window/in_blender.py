"""Script that Blender runs: all steps in their order, each building on the earlier ones."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import driver  # noqa: E402
import order  # noqa: E402

driver.run(order.STEPS)
