"""Ctrl-C while Blender renders: Python's handler waits for the picture, so a watcher ends the process instead."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130

# How long [s] Python may take to notice Ctrl-C, and then to leave: a bake notices at once and saves what it has.
_NOTICE_SECONDS = 0.6
_LEAVE_SECONDS = 5.0


@contextmanager
def stop_soon(sentence: str) -> Generator[None, None, None]:
    """Inside, Ctrl-C raises KeyboardInterrupt; where that goes unheard, the process ends with status 130.

    Then the sentence goes to stderr as it was on entering. For work whose results so far lie in files
    already. Main thread only.
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
