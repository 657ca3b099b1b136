"""The steps of the session, in their order."""

from __future__ import annotations

import steps
import steps_interface
import steps_newcomer

STEPS = [
    steps.install_the_zip, steps_newcomer.a_newcomer_gets_to_a_picture,
]
