"""Ctrl-C while Blender renders: Python's handler runs only after the render, so a watcher thread ends the process."""

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
_EXIT_SECONDS = 5.0


@contextmanager
def stop_soon(sentence: str) -> Generator[None, None, None]:
    """Inside, Ctrl-C raises KeyboardInterrupt; if Python does not react, the process ends with status 130.

    The sentence then goes to the stderr that was current on entry. Use it for work whose results so far are already in
    files. Main thread only.
    """
    sender, receiver = socket.socketpair()
    sender.setblocking(False)
    user_stderr = os.dup(2)
    noticed, exited = threading.Event(), threading.Event()

    def notice(_number: int, _frame: FrameType | None) -> None:
        noticed.set()
        raise KeyboardInterrupt

    def watch() -> None:
        while received := receiver.recv(1):
            if received[0] != signal.SIGINT:
                continue
            if not noticed.wait(_NOTICE_SECONDS) or not exited.wait(_EXIT_SECONDS):
                os.write(user_stderr, f"flotsam: {sentence}\n".encode())
                os._exit(INTERRUPTED)

    watcher = threading.Thread(target=watch, name="Flotsam Ctrl-C", daemon=True)
    handler = signal.signal(signal.SIGINT, notice)
    wakeup = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        exited.set()
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGINT, handler)
        sender.close()
        watcher.join()
        receiver.close()
        os.close(user_stderr)
