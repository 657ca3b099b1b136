"""Build the extension, one zip a platform, with Blender's own command; leaves them in dist/, validated.

    python .ci/build_zip.py [--platform linux-x64] [--out FOLDER] [--without-wheels]

Wheels come unmodified from the package index through pip and are kept in wheels/. Without them the extension
runs where Blender's own Python has numba, as on Debian.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from manual_page import page

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = "blender_manifest.toml"
FILES = ("LICENSE", "__init__.py", "__main__.py")
ROOMS = ("addon", "engine", "presets")
MANUAL = "docs/manual.md"

# By platform of Blender, how the names of its wheels end.
WHEEL_ENDS = {"linux-x64": "_x86_64.whl", "windows-x64": "-win_amd64.whl", "macos-arm64": "_arm64.whl"}
ANY_PLATFORM = "-none-any.whl"


def wheel_names(platforms: list[str]) -> list[str]:
    """File names of the wheels in the manifest that one of the platforms needs."""
    manifest = tomllib.loads((ROOT / MANIFEST).read_text(encoding="utf-8"))
    ends = (ANY_PLATFORM, *(WHEEL_ENDS[platform] for platform in platforms))
    return [Path(wheel).name for wheel in manifest["wheels"] if wheel.endswith(ends)]


def fetch(name: str) -> Path:
    """A wheel, downloaded unless it lies in wheels/ already.

    Raises:
        SystemExit: pip cannot get it, or gets another file.
    """
    file = ROOT / "wheels" / name
    if file.exists():
        return file
    project, version, python, _abi, platform = name.removesuffix(".whl").split("-")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--only-binary=:all:", "--dest", str(file.parent), f"{project}=={version}",
    ]
    if platform != "any":
        command += ["--python-version", re.sub(r"cp3(\d+)", r"3.\1", python), "--platform", platform.split(".")[-1]]
    print(f"fetching {name}", flush=True)
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode or not file.exists():
        raise SystemExit(f"flotsam: pip did not bring {name}; see its message above, then run make zip again.")
    return file


def stage(folder: Path, platforms: list[str], with_wheels: bool) -> None:
    """Lay out in `folder` what goes into the zips: no tests, the manual as a page, only the platforms' wheels."""
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    stage_manual(folder / "docs")
    wheels = wheel_names(platforms) if with_wheels else []
    (folder / "wheels").mkdir()
    for name in wheels:
        link_or_copy(fetch(name), folder / "wheels" / name)
    (folder / MANIFEST).write_text(narrowed_manifest(platforms, wheels), encoding="utf-8")


def stage_manual(folder: Path) -> None:
    """The manual with its pictures, as Blender's *Online Manual* opens it."""
    markdown = (ROOT / MANUAL).read_text(encoding="utf-8")
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", markdown):
        (folder / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy((ROOT / MANUAL).parent / picture, folder / picture)
    (folder / "manual.html").write_text(page(markdown), encoding="utf-8")


def narrowed_manifest(platforms: list[str], wheels: list[str]) -> str:
    """The manifest as it stands, with fewer platforms and wheels."""
    text = (ROOT / MANIFEST).read_text(encoding="utf-8")
    text = re.sub(r"^platforms = \[.*?\]", f"platforms = {quoted(platforms)}", text, flags=re.M | re.S)
    listed = quoted([f"./wheels/{name}" for name in wheels])
    return re.sub(r"^wheels = \[.*?\]", f"wheels = {listed}", text, flags=re.M | re.S)


def quoted(items: list[str]) -> str:
    """A TOML list of strings."""
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"


def link_or_copy(source: Path, target: Path) -> None:
    """A hard link where the disk allows it: wheels are large."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def blender_command(*arguments: str) -> None:
    """Run Blender's own extension command, as it ships with the bpy wheel.

    Raises:
        SystemExit: it found a fault, which it has printed.
    """
    import bpy

    script = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    done = subprocess.run([sys.executable, str(script), *arguments])
    if done.returncode:
        raise SystemExit(f"flotsam: Blender's extension command refused to {arguments[0]}; see its message above.")


def build(platforms: list[str], out: Path, with_wheels: bool) -> list[Path]:
    """Build and validate one zip a platform in `out`; returns them."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("flotsam-*.zip"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="flotsam_zip_") as folder:
        stage(Path(folder), platforms, with_wheels)
        blender_command("build", "--split-platforms", "--source-dir", folder, "--output-dir", str(out))
    zips = sorted(out.glob("flotsam-*.zip"))
    for file in zips:
        blender_command("validate", str(file))
    return zips


def main() -> None:
    """Read the command line, build, say what lies where."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", action="append", choices=sorted(WHEEL_ENDS), help="only this one")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--without-wheels", action="store_true", help="for a Blender whose Python has numba already")
    asked = parser.parse_args()
    for file in build(asked.platform or list(WHEEL_ENDS), asked.out, not asked.without_wheels):
        print(f"{file.name}  {file.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
