"""The legend of the springs' colours: a bar with numbers in the corner of a 3D view."""

from __future__ import annotations

import bpy
import numpy as np

from .picture import Picture, stretch_colors

_WIDTH, _HEIGHT, _STEPS = 200, 12, 48
_TEXT_SIZE = 12
# Largest number of bodies whose loads are listed.
_MOST_LOADS = 4
_FORCES = ((1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"))
_BACKGROUND, _TEXT_COLOR = (0.06, 0.06, 0.07, 0.72), (0.92, 0.92, 0.92, 1.0)


def percent(stretch: float) -> str:
    """A stretch in per cent, with a sign and no more digits than needed."""
    return f"{100.0 * stretch:+.3g} %" if stretch else "0 %"


def newtons(force: float) -> str:
    """A force with unit and prefix."""
    size, unit = next((pair for pair in _FORCES if force >= pair[0]), _FORCES[-1])
    return f"{force / size:.3g} {unit}" if force else "0 N"


def words(picture: Picture) -> tuple[list[tuple[float, str]], list[str]]:
    """Labels along the bar, each with its position from 0 to 1, and the text lines below."""
    marks = [(0.0, percent(-picture.limit)), (0.5, percent(0.0)), (1.0, percent(picture.limit))]
    below = [f"Shortest {percent(picture.shortest)}, longest {percent(picture.longest)}"]
    if picture.push is not None and picture.pull is not None:
        below.append(f"Push up to {newtons(picture.push)}, pull up to {newtons(picture.pull)}")
    return (marks if picture.limit > 0.0 else []), (below if picture.limit > 0.0 else []) + load_words(picture)


def load_words(picture: Picture) -> list[str]:
    """A line for each body with loads on its pins: total force and torque."""
    lines = [
        f"Pins of {load.name}: {newtons(float(np.linalg.norm(load.force)))}, "
        f"{newtons(float(np.linalg.norm(load.torque)))}·m"
        for load in picture.loads[:_MOST_LOADS]
    ]
    more = len(picture.loads) - _MOST_LOADS
    return lines + ([f"And {more} more bodies"] if more > 0 else [])


def draw_legend(context: bpy.types.Context, picture: Picture) -> None:
    """Draw the legend at the bottom left, clear of panels over the view."""
    import blf
    import gpu

    scale = context.preferences.system.ui_scale
    tools = next((region.width for region in context.area.regions if region.type == "TOOLS"), 1)
    width, height = _WIDTH * scale, _HEIGHT * scale
    line, margin = 1.5 * _TEXT_SIZE * scale, 12 * scale
    marks, below = words(picture)
    # The text lines below the bar, the last one at the bottom.
    foot = (len(below) - 1) * line
    left, low = 24 * scale + (tools if tools > 1 else 0), 30 * scale + foot
    blf.size(0, _TEXT_SIZE * scale)
    widest = max([width, *(blf.dimensions(0, text)[0] for text in below)])
    over = height + 3.6 * line if marks else line
    gpu.state.blend_set("ALPHA")
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    _fill(shader, left - margin, low - margin - foot, left + widest + margin, low + over, _BACKGROUND)
    bottom = low + 1.8 * line
    if marks:
        _bar(shader, picture.limit, (left, bottom, width, height))
    gpu.state.blend_set("NONE")
    blf.color(0, *_TEXT_COLOR)
    for at, text in marks:
        _write(left + at * width, bottom + height + 0.45 * line, text, at)
    for number, text in enumerate(below):
        _write(left, low - (0.1 + number) * line, text, 0.0)
    if marks:
        _write(left, low + 0.95 * line, "compression", 0.0)
        _write(left + width, low + 0.95 * line, "tension", 1.0)


def _bar(shader: object, limit: float, place: tuple[float, float, float, float]) -> None:
    """Draw all colours from compression to tension; place: left, bottom, width, height [pixels]."""
    from gpu_extras.batch import batch_for_shader

    left, bottom, width, height = place
    colors = stretch_colors(np.linspace(-limit, limit, _STEPS), limit)
    colors[:, 3] = 1.0
    x = np.linspace(left, left + width, _STEPS)
    corners = np.array([(at, y) for at in x for y in (bottom, bottom + height)], dtype=np.float32)
    strip = {"pos": corners, "color": np.repeat(colors, 2, axis=0)}
    batch_for_shader(shader, "TRI_STRIP", strip).draw(shader)


def _write(x: float, y: float, text: str, align: float) -> None:
    """Draw text that is left-aligned (0), centred (0.5) or right-aligned (1) at x."""
    import blf

    blf.position(0, x - align * blf.dimensions(0, text)[0], y, 0)
    blf.draw(0, text)


def _fill(shader: object, left: float, bottom: float, right: float, top: float, color: tuple[float, ...]) -> None:
    from gpu_extras.batch import batch_for_shader

    corners = ((left, bottom), (right, bottom), (left, top), (right, top))
    batch_for_shader(shader, "TRI_STRIP", {"pos": corners, "color": [color] * 4}).draw(shader)
