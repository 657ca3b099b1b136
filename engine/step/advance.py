"""Advances a world by a frame, stage by stage. `step.stage.Stage` lists the stages; behaviours act in them."""

from __future__ import annotations

import time

import numpy as np

from ..compiler.kernels import threads
from ..compiler.missing import seconds_waited
from ..errors import Diverged
from ..world.controls import Controls
from ..world.frame import Frame
from ..world.world import World
from .accuracy import limit_error, set_iterations
from .integrate import accelerate, first_not_finite, predict, velocities
from .routing import begin_frame
from .stability import set_stable_substeps
from .stage import Stage


def step(world: World, controls: Controls) -> Frame:
    """Advance a world by one frame, 1 / frame_rate.

    Raises:
        Diverged: a position or a velocity is not finite.
        SpecError: a control is not allowed, or the world needs more substeps than allowed.
    """
    started, waited = time.perf_counter(), seconds_waited()
    count = world.thread_tuner.threads()
    with threads(count):
        next_steps = limit_error(world, lambda: _advance(world, controls))
        world.state.frame += 1
        _check(world)
        frame = frame_now(world)
        world.tear()
        if next_steps:
            set_iterations(world, next_steps)
    world.thread_tuner.note(count, time.perf_counter() - started - (seconds_waited() - waited))
    return frame


def _advance(world: World, controls: Controls) -> None:
    begin_frame(world, controls)
    world.moving = max((system.moves_until() for system in world.systems), default=0)
    world.integrated = max((system.integrates_until() for system in world.systems), default=0)
    if world.spec.integrator == "SYMPLECTIC":
        set_stable_substeps(world)
    for interaction in world.interactions:
        interaction.begin_frame(world, controls)
    if world.spec.integrator == "XPBD":
        _substeps_of_constraints(world)
    elif world.interactions or any(one.acts() for one in (*world.systems, *world.fields)):
        _substeps_of_forces(world)
    else:
        for system in world.systems:
            system.advance(world, world.model.gravity, 0, world.substeps)


def _substeps_of_constraints(world: World) -> None:
    state, model, h, moving = world.state, world.model, world.h, slice(world.integrated, world.moving)
    gx, gy, gz = (h * float(g) for g in model.gravity)
    for substep in range(world.substeps):
        done = (substep + 1) / world.substeps
        _apply(Stage.MOVE, world, h, done)
        accelerate(model.inv_mass[moving], gx, gy, gz, world.drag_factor[moving], state.v[moving])
        _apply(Stage.FORCE, world, h, done)
        predict(state.v[moving], h, state.x[moving], state.x_prev[moving])
        _finish_substep(world, h, done)


def _substeps_of_forces(world: World) -> None:
    state, model, h = world.state, world.model, world.h
    gx, gy, gz = (h * float(g) for g in model.gravity)
    # `System.advance` applies drag, after all forces.
    no_drag, no_gravity = np.ones_like(model.inv_mass), np.zeros(3)
    for substep in range(world.substeps):
        done = (substep + 1) / world.substeps
        _apply(Stage.MOVE, world, h, done)
        accelerate(model.inv_mass, gx, gy, gz, no_drag, state.v)
        _apply(Stage.FORCE, world, h, done)
        for system in world.systems:
            system.advance(world, no_gravity, substep, 1)
        if world.interactions:
            _finish_substep(world, h, done)


def _finish_substep(world: World, h: float, done: float) -> None:
    state, moving = world.state, slice(world.integrated, world.moving)
    _apply(Stage.NARROW, world, h, done)
    _apply(Stage.POSITION, world, h, done)
    velocities(state.x[moving], state.x_prev[moving], h, state.v[moving])
    _apply(Stage.VELOCITY, world, h, done)
    # In reverse order: what was changed last for the substep is undone first. Fluid is added to masses after water.
    _apply(Stage.END, world, h, done)
    for field in reversed(world.fields):
        field.release(world)


def _apply(stage: Stage, world: World, h: float, done: float) -> None:
    for system in world.systems:
        system.apply(stage, world, h, done)
    if stage is Stage.FORCE:
        for field in world.fields:
            field.push(world, h, done)
    for interaction in world.interactions:
        interaction.apply(stage, world, h)


def _check(world: World) -> None:
    particle = first_not_finite(world.state.x, world.state.v)
    if particle >= 0:
        body = world.model.bodies[world.model.body[particle]]
        raise Diverged(body.name, world.state.frame, -1, int(particle) - body.start)


def frame_now(world: World) -> Frame:
    """A frame of the current state; also valid before the first step."""
    state = world.state
    frame = Frame(state.frame)
    for behaviour in (*world.systems, *world.fields, *world.interactions):
        behaviour.report(world, frame)
    frame.diagnostics.setdefault("world", {})["substeps"] = (float(world.substeps),)
    return frame
