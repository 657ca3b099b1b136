"""Makes the meshes of a finer surface in another process: the package holds the GIL while it works, for seconds.

Where no process can be started, it works in this one.
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
        self._meshes, self._asked = meshes, 0
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = _start(meshes)
        if self._process is not None:
            threading.Thread(
                target=_listen, args=(self._process, self._answers), name="Flotsam surface", daemon=True
            ).start()

    def ask(self, frame: int) -> None:
        """Let it make the mesh of a frame; the last one must be done."""
        self._asked = frame
        if self._process is not None:
            send(self._process, str(frame))

    def is_done(self, seconds: float) -> bool:
        """Whether the mesh is done; waits for it at most so long, without a process until it is done.

        Raises:
            OSError: a file cannot be read or written, or the process has ended.
        """
        if self._process is None:
            self._meshes.write(find_package(), self._asked)
            return True
        try:
            answer = self._answers.get(timeout=seconds) if seconds > 0.0 else self._answers.get_nowait()
        except queue.Empty:
            return False
        if answer is None:
            raise OSError(f"The process that makes the surface ended at frame {self._asked}")
        if answer:
            number, said = json.loads(answer)
            raise OSError(said) if number is None else OSError(number, said)
        return True

    def close(self) -> None:
        """End the process, whatever it does; a mesh that is not done leaves nothing behind."""
        if self._process is not None:
            end(self._process)
        self._meshes.tidy()


def run(lines: queue.SimpleQueue[str], points: str, detail: float, smoothing: int) -> None:
    """In that process: make the meshes of the frames that `lines` name; settings: see `FineMeshes`.

    Each is answered by a line, which is empty or has errno and sentence.
    """
    package, meshes = find_package(), FineMeshes(Path(points), detail, smoothing)
    while frame := lines.get():
        answer = ""
        try:
            if package is None:
                raise OSError(f"{PACKAGE} cannot be imported")
            meshes.write(package, int(frame))
        except OSError as error:
            answer = json.dumps([error.errno, error.strerror or str(error)])
        except BaseException as error:  # noqa: BLE001 - a panic of the package is no Exception; it is told
            answer = json.dumps([None, f"{PACKAGE} failed at frame {frame}: {error}"])
        sys.stdout.write(answer + "\n")
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
