"""The command line: `python -m flotsam …` and `blender --command flotsam …`. Commands are imported when called."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
DEFAULT_SCENE = "rubber_dinghy_rapids"
BENCH_JSON = Path("out/bench.json")


def main(argv: Sequence[str]) -> int:
    """Run one command.

    Returns:
        0 done, 1 failed after one line on stderr, 2 wrong usage, 130 stopped by Ctrl-C.
    """
    try:
        args = _parser().parse_args(argv)
    except SystemExit as end:
        return end.code
    # Blender handles Ctrl-C itself; ours raises KeyboardInterrupt.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _run(args)
    finally:
        signal.signal(signal.SIGINT, before)


def _run(args: argparse.Namespace) -> int:
    from .errors import known_errors, one_line

    try:
        _register()
        args.command(args)
    except KeyboardInterrupt:
        print(f"flotsam: stopped by Ctrl-C; finished {args.kept} are kept.", file=sys.stderr)
        return INTERRUPTED
    except known_errors() as error:
        print(f"flotsam: {one_line(error)}", file=sys.stderr)
        return FAILED
    return DONE


def _register() -> None:
    """Outside an extension the add-on has not been enabled yet."""
    import bpy

    from .. import register
    from ..names import SETTINGS

    if not hasattr(bpy.types.Object, SETTINGS):
        register()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="flotsam", description="Soft bodies and inflatables on water.")
    parser.set_defaults(kept="frames")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="build a scene preset, bake it, render it")
    demo.add_argument("preset", nargs="?", default=DEFAULT_SCENE, metavar="PRESET", help=f"default: {DEFAULT_SCENE}")
    demo.add_argument("--frames", type=_count, metavar="N", help="bake and show the first N frames only")
    demo.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="where to leave it; default: out")
    demo.add_argument("--still", action="store_true", help="one picture, no film")
    demo.add_argument("--size", type=_size, metavar="WxH", help="pixels of picture and film")
    demo.set_defaults(command=_demo)

    bake = commands.add_parser("bake", help="bake every Flotsam body of a .blend and save it")
    bake.add_argument("file", type=Path, metavar="FILE.blend")
    bake.add_argument("--frames", type=_range, metavar="A-B", help="default: the range in the file's settings")
    bake.add_argument("--output", type=Path, metavar="FILE.blend", help="save there and leave the first file alone")
    bake.add_argument("--resume", action="store_true", help="go on after the last finished frame")
    bake.add_argument(
        "--to", choices=("cache", "shape-keys", "keyframes"), default="cache",
        help="cache (default); shape-keys: soft bodies play from their meshes; "
             "keyframes: the keys of rigid bodies become your own",
    )
    bake.set_defaults(command=_bake)

    bench = commands.add_parser("bench", help="run the benchmarks, in a clone of the repository")
    bench.add_argument("names", nargs="*", metavar="NAME", help="springs, memory, growth, fall, floor, …; default: all")
    bench.add_argument("--json", type=Path, default=BENCH_JSON, metavar="FILE", help=f"default: {BENCH_JSON}")
    bench.add_argument("--quick", action="store_true", help="smallest sizes only, to see that everything runs")
    bench.add_argument("--docs", action="store_true", help="also write docs/benchmarks.md and its picture")
    bench.set_defaults(command=_bench, kept="benchmarks")

    presets = commands.add_parser("presets", help="list the presets with a line each")
    presets.set_defaults(command=_presets)
    return parser


def _demo(args: argparse.Namespace) -> None:
    from .demo import run

    run(args.preset, args.out, args.frames, args.still, args.size)


def _bake(args: argparse.Namespace) -> None:
    from .bake import run

    run(args.file, args.output, args.frames, args.resume, args.to)


def _bench(args: argparse.Namespace) -> None:
    from .bench import run

    run(args.names, args.json, args.quick, args.docs)


def _presets(_asked: argparse.Namespace) -> None:
    from .presets import run

    run()


def _count(text: str) -> int:
    return _matched(r"([1-9]\d*)", text, "a number of frames such as 50")[0]


def _range(text: str) -> tuple[int, int]:
    start, end = _matched(r"(-?\d+)-(-?\d+)", text, "a first and a last frame such as 1-50")
    if end < start:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it starts")
    return start, end


def _size(text: str) -> tuple[int, int]:
    width, height = _matched(r"([1-9]\d*)x([1-9]\d*)", text, "a width and a height such as 640x360")
    return width, height


def _matched(pattern: str, text: str, wanted: str) -> tuple[int, ...]:
    found = re.fullmatch(pattern, text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return tuple(int(group) for group in found.groups())
