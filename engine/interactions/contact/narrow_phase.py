"""The tests of near pairs: which pairs touch, and which particles are inside a closed body."""

from __future__ import annotations

import numpy as np

from ...compiler.typed_call import TypedCall
from ...solver.collide.narrow_phase import inside
from ...solver.collide.narrow_phase.columns import FacesAndEdges, FoundContacts, NearPairs, SubstepMotion
from ...solver.collide.narrow_phase.contacts import find_edge_contacts, find_face_contacts


class NarrowPhase:
    """Tests near pairs of particles and faces, and of edges."""

    def __init__(self, surfaces: FacesAndEdges, face_start: np.ndarray) -> None:
        """Args: surfaces: of all bodies; face_start: (bodies + 1,) first face of each body."""
        self._surfaces, self._face_start = surfaces, face_start
        self._find_faces, self._find_edges = TypedCall(find_face_contacts), TypedCall(find_edge_contacts)

    def test(
        self, only_through: bool, notes_close: bool, candidates: tuple[np.ndarray, np.ndarray], near: NearPairs,
        ways: SubstepMotion, found: FoundContacts,
    ) -> None:
        """Test near pairs.

        Args:
            only_through: whether only pairs count that pass through each other in the substep.
            notes_close: whether to record which pairs are close, see `ccd_recheck.CcdRecheck`.
            candidates: (f,) indices of the pairs with faces to test, (e,) of the pairs of edges.
            near: all pairs; ways: displacements of the substep; found: out.
        """
        (faces, edges), surfaces = candidates, self._surfaces
        if len(faces):
            self._find_faces(only_through, notes_close, faces, near, ways, surfaces, found)
        if len(edges):
            first = len(found.touching) - len(near.edges)
            self._find_edges(
                only_through, notes_close, edges, first, len(near.particle), near, ways, surfaces, found
            )

    def find_inside(self, near: NearPairs, ways: SubstepMotion) -> None:
        """Mark hard particles inside soft bodies; see `inside.find_inside`."""
        inside.find_inside(near, ways, self._surfaces, self._face_start)

    def winding(self, particle: int, body: int, x: np.ndarray) -> float:
        """Winding number of the closed faces of a body about a particle; x: (n, 3) positions [m]."""
        start, stop = self._face_start[body : body + 2].tolist()
        return float(inside.winding(particle, start, stop, x, self._surfaces))
