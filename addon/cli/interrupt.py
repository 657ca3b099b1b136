"""Ctrl-C while Blender renders: Python's own handler would wait for the picture, so the process ends at once."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def stop_at_once(sentence: str) -> Generator[None, None, None]:
    """Inside, Ctrl-C prints the sentence on stderr and ends the process with status 130.

    Only for work whose results so far lie in files already. Main thread only.
    """
    bell, watched = socket.socketpair()
    bell.setblocking(False)
    error_output = os.dup(2)
    watcher = threading.Thread(target=_watch, args=(watched, error_output, sentence), daemon=True)
    before = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        bell.close()
        watcher.join()
        watched.close()
        os.close(error_output)


def _watch(watched: socket.socket, error_output: int, sentence: str) -> None:
    """Wait for the number of a signal, or for the other end to be closed."""
    while heard := watched.recv(1):
        if heard[0] == signal.SIGINT:
            os.write(error_output, f"flotsam: {sentence}\n".encode())
            os._exit(INTERRUPTED)
