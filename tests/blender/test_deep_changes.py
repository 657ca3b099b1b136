"""The panel notices changes of what modifiers, constraints, drivers and fields refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.owner import cache_problem
from make_scene import cube, fresh_scene, ground, soft


def link(name: str, data: bpy.types.ID | None = None) -> bpy.types.Object:
    """A new object in the scene."""
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def modified(kind: str, **values: object) -> tuple[bpy.types.Object, bpy.types.Modifier]:
    """A soft cube with a modifier before Flotsam's."""
    ball = cube("Ball")
    modifier = ball.modifiers.new(kind.title(), kind)
    for name, value in values.items():
        setattr(modifier, name, value)
    return soft(ball), modifier


def curve() -> bpy.types.Object:
    """Two metres along X."""
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for number, point in enumerate(spline.points):
        point.co = (number - 1.0, 0.0, 0.0, 1.0)
    return link("Path", data)


def field(kind: str, obj: bpy.types.Object) -> bpy.types.Object:
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.forcefield_toggle()
    obj.field.type, obj.field.strength = kind, 5.0
    return obj


def node_group() -> bpy.types.GeometryNodeTree:
    """Geometry through a Transform node."""
    group = bpy.data.node_groups.new("Shape", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    transform = group.nodes.new("GeometryNodeTransform")
    transform.inputs["Scale"].default_value = (1.5, 1.0, 1.0)
    group.links.new(first.outputs[0], transform.inputs[0])
    group.links.new(transform.outputs[0], last.inputs[0])
    return group


def a_painted_group() -> Iterator[str]:
    ball, modifier = modified("DISPLACE", strength=0.2)
    group = ball.vertex_groups.new(name="bulge")
    group.add([0, 1, 2], 1.0, "REPLACE")
    modifier.vertex_group = "bulge"
    yield "The mesh of Ball"
    group.add([0], 0.1, "REPLACE")


def weights_of_bones() -> Iterator[str]:
    ball, modifier = modified("ARMATURE")
    modifier.object = link("Rig", bpy.data.armatures.new("Rig"))
    group = ball.vertex_groups.new(name="Arm")
    group.add([0], 1.0, "REPLACE")
    yield "The mesh of Ball"
    group.add([0], 0.5, "REPLACE")


def a_texture() -> Iterator[str]:
    texture = bpy.data.textures.new("Bumps", "CLOUDS")
    modified("DISPLACE", texture=texture, texture_coords="GLOBAL")
    yield "The modifiers of Ball"
    texture.noise_scale = 2.0


def another_texture() -> Iterator[str]:
    _ball, modifier = modified("DISPLACE", texture=bpy.data.textures.new("Bumps", "CLOUDS"))
    yield "The modifiers of Ball"
    modifier.texture = bpy.data.textures.new("Grain", "WOOD")


def a_point_of_a_lattice() -> Iterator[str]:
    cage = link("Cage", bpy.data.lattices.new("Cage"))
    modified("LATTICE", object=cage)
    yield "The modifiers of Ball"
    cage.data.points[0].co_deform.z -= 0.3


def a_point_of_a_curve() -> Iterator[str]:
    path = curve()
    modified("CURVE", object=path)
    yield "The modifiers of Ball"
    path.data.splines[0].points[2].co.y = 1.0


def a_modifier_of_an_operand() -> Iterator[str]:
    knife = cube("Knife", z=2.3)
    twist = knife.modifiers.new("Twist", "SIMPLE_DEFORM")
    twist.angle = 0.0
    modified("BOOLEAN", object=knife)
    yield "The modifiers of Ball"
    twist.angle = 0.5


def an_operand_in_a_collection() -> Iterator[str]:
    knives = bpy.data.collections.new("Knives")
    knives.objects.link(cube("Knife", z=2.3))
    modified("BOOLEAN", operand_type="COLLECTION", collection=knives)
    yield "The modifiers of Ball"
    knives.objects.link(cube("Other", z=1.7))


def a_value_of_a_node() -> Iterator[str]:
    group = node_group()
    modified("NODES", node_group=group)
    yield "The modifiers of Ball"
    group.nodes["Transform Geometry"].inputs["Scale"].default_value = (2.0, 1.0, 1.0)


def a_link_of_nodes() -> Iterator[str]:
    group = node_group()
    modified("NODES", node_group=group)
    yield "The modifiers of Ball"
    group.links.new(group.nodes["Group Input"].outputs[0], group.nodes["Group Output"].inputs[0])


def an_object_as_input_of_nodes() -> Iterator[str]:
    group, handle = node_group(), link("Handle")
    socket = group.interface.new_socket("Where", in_out="INPUT", socket_type="NodeSocketObject")
    ball, modifier = modified("NODES", node_group=group)
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, socket.identifier).value = handle
    else:
        modifier[socket.identifier] = handle
    yield "The modifiers of Ball"
    handle.location.x = 1.0


def what_a_driver_reads() -> Iterator[str]:
    handle = link("Handle")
    driver = soft(cube("Ball")).driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.type, variable.targets[0].id, driver.expression = "TRANSFORMS", handle, variable.name
    yield "The animation of Ball"
    handle.location.x = 1.0


def a_property_that_a_driver_reads() -> Iterator[str]:
    handle = link("Handle")
    handle["lift"] = 0.0
    driver = soft(cube("Ball")).driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path, driver.expression = handle, '["lift"]', variable.name
    yield "The animation of Ball"
    handle["lift"] = 1.0
    # Editing the field in the sidebar does this; a script does not.
    handle.update_tag()


def the_mesh_of_a_parent() -> Iterator[str]:
    soft(cube("Ball"))
    post, floor = cube("Post", z=-3.0), bpy.data.objects["Ground"]
    floor.parent, floor.parent_type = post, "VERTEX"
    yield "Ground moved"
    post.data.vertices[0].co.z += 0.5
    post.data.update()


def the_path_of_a_constraint() -> Iterator[str]:
    soft(cube("Ball"))
    path = curve()
    bpy.data.objects["Ground"].constraints.new("FOLLOW_PATH").target = path
    yield "Ground moved"
    path.data.splines[0].points[0].co.y = 1.0


def a_field_of_a_collection() -> Iterator[str]:
    ball, winds = soft(cube("Ball")), bpy.data.collections.new("Winds")
    wind = field("WIND", link("Wind"))
    winds.objects.link(wind)
    ball.flotsam.effector_weights.collection = winds
    yield "The settings of Ball"
    winds.objects.unlink(wind)


def the_texture_of_a_field() -> Iterator[str]:
    soft(cube("Ball"))
    wind = field("TEXTURE", link("Wind"))
    wind.field.texture = bpy.data.textures.new("Gusts", "CLOUDS")
    yield "The settings of Wind"
    wind.field.texture.noise_scale = 2.0


def the_mesh_of_a_field() -> Iterator[str]:
    soft(cube("Ball"))
    wind = field("FORCE", cube("Wind", z=4.0))
    wind.field.shape = "POINTS"
    yield "The mesh of Wind"
    wind.data.vertices[0].co.z += 1.0
    wind.data.update()


CHANGES = (
    a_painted_group, weights_of_bones, a_texture, another_texture, a_point_of_a_lattice, a_point_of_a_curve,
    a_modifier_of_an_operand, an_operand_in_a_collection, a_value_of_a_node, a_link_of_nodes,
    an_object_as_input_of_nodes, what_a_driver_reads, a_property_that_a_driver_reads, the_mesh_of_a_parent,
    the_path_of_a_constraint, a_field_of_a_collection, the_texture_of_a_field, the_mesh_of_a_field,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_is_referred_to_is_told(change: Callable[[], Iterator[str]], tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    scene.flotsam.substeps = 1
    ground()
    steps = change()
    sentence = next(steps)
    bpy.context.view_layer.update()
    bake_blocking(scene)
    body = scene.objects["Ball"]
    assert [(scene.frame_set(frame), cache_problem(body, scene))[1] for frame in (1, 2)] == [None, None]
    next(steps, None)
    bpy.context.view_layer.update()
    problem = cache_problem(body, scene)
    assert problem is not None and problem.startswith(sentence), problem


def test_the_look_of_nodes_curves_and_drivers_is_not_told(tmp_path: Path) -> None:
    """A node is dragged, a point selected, an object renamed; a driver follows the frame."""
    scene = fresh_scene(tmp_path, (1, 2))
    group, path = node_group(), curve()
    ball, _modifier = modified("NODES", node_group=group)
    bend = ball.modifiers.new("Bend", "CURVE")
    bend.object = path
    ball.modifiers.move(2, 0)
    driver = ball.flotsam.spring_graph.driver_add("stiffness").driver
    variable = driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "SCENE", scene
    variable.targets[0].data_path, driver.expression = "frame_current", f"100 + {variable.name}"
    bake_blocking(scene)
    group.nodes["Transform Geometry"].location.x += 300.0
    group.nodes["Transform Geometry"].select = True
    path.data.splines[0].points[1].select = True
    path.name = "Rail"
    bpy.data.textures.new("Unused", "CLOUDS")
    scene.frame_set(2)
    assert cache_problem(ball, scene) is None
