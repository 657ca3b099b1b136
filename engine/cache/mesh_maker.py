"""Makes the meshes of a finer surface in another process: the package holds the GIL while it works, for seconds.

If no process can be started, the package runs in this one.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path

from ..compiler.precompile.child_process import can_start, end, send, start
from .fine_mesh import PACKAGE, FineMeshes, find_package

# This module, within the engine.
_TASK = "cache.mesh_maker"


class MeshMaker:
    """Makes one mesh at a time."""

    def __init__(self, meshes: FineMeshes) -> None:
        """Start the process."""
        self._meshes, self._requested = meshes, 0
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = _start(meshes)
        if self._process is not None:
            threading.Thread(
                target=_listen, args=(self._process, self._answers), name="Flotsam surface", daemon=True
            ).start()

    def ask(self, frame: int) -> None:
        """Start the mesh of a frame; the previous one must be done."""
        self._requested = frame
        if self._process is not None:
            send(self._process, str(frame))

    def is_done(self, seconds: float) -> bool:
        """Whether the mesh is done; waits at most so long for it. Without a process, makes it now.

        Raises:
            OSError: a file cannot be read or written, or the process has ended.
        """
        if self._process is None:
            self._meshes.write(find_package(), self._requested)
            return True
        try:
            report = self._answers.get(timeout=seconds) if seconds > 0.0 else self._answers.get_nowait()
        except queue.Empty:
            return False
        if report is None:
            raise OSError(f"The process that makes the surface ended at frame {self._requested}")
        if report:
            number, message = json.loads(report)
            raise OSError(message) if number is None else OSError(number, message)
        return True

    def close(self) -> None:
        """End the process even while it works, and delete an unfinished mesh."""
        if self._process is not None:
            end(self._process)
        self._meshes.tidy()


def run(lines: queue.SimpleQueue[str], points: str, detail: float, smoothing: int) -> None:
    """Runs in the other process: make the meshes of the frames named in `lines`; settings: see `FineMeshes`.

    Writes one line for each frame to stdout: an empty one, or errno and message of an error.
    """
    package, meshes = find_package(), FineMeshes(Path(points), detail, smoothing)
    while frame := lines.get():
        report = ""
        try:
            if package is None:
                raise OSError(f"{PACKAGE} cannot be imported")
            meshes.write(package, int(frame))
        except OSError as error:
            report = json.dumps([error.errno, error.strerror or str(error)])
        except BaseException as error:  # noqa: BLE001 - a panic of the package is no Exception; it is reported
            report = json.dumps([None, f"{PACKAGE} failed at frame {frame}: {error}"])
        sys.stdout.write(report + "\n")
        sys.stdout.flush()


def _start(meshes: FineMeshes) -> subprocess.Popen[str] | None:
    if not can_start():
        return None
    try:
        settings = {"points": str(meshes.points), "detail": meshes.detail, "smoothing": meshes.smoothing}
        return start(_TASK, None, **settings)
    except OSError:
        return None


def _listen(process: subprocess.Popen[str], answers: queue.SimpleQueue[str | None]) -> None:
    for line in process.stdout:
        answers.put(line.strip())
    answers.put(None)
