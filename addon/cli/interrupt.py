"""Ctrl-C while Blender renders: Python's handler waits for the picture to end, so a watcher ends the process."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130

# How long [s] Python may take to notice Ctrl-C, and then to exit: a bake notices at once and saves its frames.
_NOTICE_SECONDS = 0.6
_LEAVE_SECONDS = 5.0


@contextmanager
def stop_soon(sentence: str) -> Generator[None, None, None]:
    """Inside, Ctrl-C raises KeyboardInterrupt; if Python does not react, the process ends with status 130.

    The sentence then goes to the stderr that was current on entry. Use it for work whose results so far are already in
    files. Main thread only.
    """
    bell, watched = socket.socketpair()
    bell.setblocking(False)
    user = os.dup(2)
    noticed, left = threading.Event(), threading.Event()

    def notice(_number: int, _frame: FrameType | None) -> None:
        noticed.set()
        raise KeyboardInterrupt

    def watch() -> None:
        while heard := watched.recv(1):
            if heard[0] != signal.SIGINT:
                continue
            if not noticed.wait(_NOTICE_SECONDS) or not left.wait(_LEAVE_SECONDS):
                os.write(user, f"flotsam: {sentence}\n".encode())
                os._exit(INTERRUPTED)

    watcher = threading.Thread(target=watch, name="Flotsam Ctrl-C", daemon=True)
    handler = signal.signal(signal.SIGINT, notice)
    wakeup = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        left.set()
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGINT, handler)
        bell.close()
        watcher.join()
        watched.close()
        os.close(user)
