"""What happens where systems meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def build_interactions(rules: Sequence[Any], builder: Any, model: Any, state: Any) -> list[Any]:
    return []
