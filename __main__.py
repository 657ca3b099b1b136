"""`python -m flotsam`: the command line without a Blender window."""

import os
import signal
import sys

# Blender swallows a Ctrl-C while it starts; `main` has a gentler answer once it runs.
signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from .addon.cli.main import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
