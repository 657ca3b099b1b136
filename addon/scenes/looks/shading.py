"""Helpers to write shader nodes as formulas."""

from __future__ import annotations

from typing import Any

import bpy

Colour = tuple[float, float, float, float]
Socket = bpy.types.NodeSocket


def colour(code: str) -> Colour:
    """Scene-linear RGBA of an sRGB code such as "#ff8800"."""
    channels = (int(code[i:i + 2], 16) / 255.0 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return (red, green, blue, 1.0)


class Shading:
    """The node tree of one material or world, emptied, with a method for each kind of node in use."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree
        tree.nodes.clear()

    def node(self, kind: str, inputs: dict[int | str, Any] | None = None, **settings: Any) -> bpy.types.Node:
        """A new node of type `kind`; each input is an output socket to link, or a default value."""
        made = self.tree.nodes.new(kind)
        for key, value in settings.items():
            setattr(made, key, value)
        for key, value in (inputs or {}).items():
            self.set_input(made.inputs[key], value)
        made.location = (200.0 * len(self.tree.nodes), 0.0)
        return made

    def set_input(self, socket: bpy.types.NodeSocket, value: Any) -> None:
        """Link `value` to an input socket if it is a socket, else set it as the default value."""
        if isinstance(value, Socket):
            self.tree.links.new(value, socket)
        else:
            socket.default_value = value

    def math(self, operation: str, a: Any, b: Any = 0.0, c: Any = 0.0, clamp: bool = False) -> Socket:
        """One math operation, such as ("MULTIPLY", a, b)."""
        return self.node("ShaderNodeMath", {0: a, 1: b, 2: c}, operation=operation, use_clamp=clamp).outputs[0]

    def vector(self, operation: str, a: Any, b: Any = (0.0, 0.0, 0.0)) -> Socket:
        """One vector operation, such as ("ADD", a, b)."""
        return self.node("ShaderNodeVectorMath", {0: a, 1: b}, operation=operation).outputs[0]

    def mix(self, factor: Any, a: Any, b: Any, blend: str = "MIX") -> Socket:
        """Colour `a` where factor is 0, `b` where it is 1."""
        return self.node(
            "ShaderNodeMix", {0: factor, 6: a, 7: b}, data_type="RGBA", blend_type=blend, clamp_factor=True
        ).outputs[2]

    def step(self, value: Any, low: float, high: float, to_low: float = 0.0, to_high: float = 1.0) -> Socket:
        """A smooth step: `to_low` below `low`, `to_high` above `high`; `low` may exceed `high`."""
        inputs = {0: value, 1: low, 2: high, 3: to_low, 4: to_high}
        return self.node("ShaderNodeMapRange", inputs, interpolation_type="SMOOTHSTEP").outputs[0]

    def split(self, vector: Any) -> tuple[Socket, Socket, Socket]:
        """x, y and z of a vector."""
        outputs = self.node("ShaderNodeSeparateXYZ", {0: vector}).outputs
        return outputs[0], outputs[1], outputs[2]

    def join(self, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Socket:
        """A vector of three numbers."""
        return self.node("ShaderNodeCombineXYZ", {0: x, 1: y, 2: z}).outputs[0]

    def noise(self, coordinates: Any, scale: float, detail: float = 2.0, roughness: float = 0.5) -> Socket:
        """Perlin noise with mean 0.5."""
        return self.node(
            "ShaderNodeTexNoise", {"Vector": coordinates, "Scale": scale, "Detail": detail, "Roughness": roughness}
        ).outputs[0]

    def attribute(self, name: str) -> Socket:
        """A float attribute of the mesh."""
        return self.node("ShaderNodeAttribute", attribute_name=name).outputs[2]

    def coordinates(self, which: str) -> Socket:
        """Texture coordinates, such as "Object" or "Generated"."""
        return self.node("ShaderNodeTexCoord").outputs[which]

    def position(self) -> Socket:
        """The shaded point in world space [m]."""
        return self.node("ShaderNodeNewGeometry").outputs["Position"]

    def seconds(self, scene: bpy.types.Scene) -> Socket:
        """Time since frame 0 [s], by a driver whose expression needs no Python."""
        value = self.node("ShaderNodeValue").outputs[0]
        driver = value.driver_add("default_value").driver
        driver.type = "SCRIPTED"
        driver.expression = f"frame / {scene.render.fps / scene.render.fps_base:g}"
        return value

    def haze(self, shaded: Any, tint: Colour, start: float, end: float, most: float) -> Socket:
        """`shaded`, fading into `tint` between two distances from the camera [m]; `most`: the largest mix factor."""
        distance = self.node("ShaderNodeCameraData").outputs["View Distance"]
        glow = self.node("ShaderNodeEmission", {0: tint, 1: 1.0}).outputs[0]
        factor = self.step(distance, start, end, 0.0, most)
        return self.node("ShaderNodeMixShader", {0: factor, 1: shaded, 2: glow}).outputs[0]

    def surface(self, shader: Socket) -> None:
        """Link a shader to the material's output."""
        self.node("ShaderNodeOutputMaterial", {"Surface": shader})


def new_material(name: str) -> tuple[bpy.types.Material, Shading]:
    """A material with an empty node tree, and the `Shading` that fills it."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    return material, Shading(material.node_tree)
