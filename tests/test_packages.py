"""Kernels of installed packages, found by their entry points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
from kcfg.core.engine.quantity import integer, quantity
from kcfg.core.kernel import Kernel


class Strange(Kernel):
    """A kernel of another package."""

    kernel = "strange"
    release = "{release}"
    title = "A kernel of another package"
    struct = "none"
    changes = "The first."
    needs = ""

    rows: int = integer("rows", "Rows.")

    @quantity("rows", source="here")
    def twice(self) -> int:
        """Twice the rows."""
        return self.rows * {factor}
'''
PROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "strange-kernels"
version = "1.0"

[project.entry-points."kcfg.kernels"]
strange = "strange_kernels.one:Strange"
strange-2 = "strange_kernels.two:Strange"
broken = "strange_kernels.three:Missing"
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that is built and installed there."""
    source, place = (tmp_path_factory.mktemp(name) for name in ("source", "site"))
    package = source / "strange_kernels"
    package.mkdir()
    (source / "pyproject.toml").write_text(PROJECT)
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(MODULE.format(release="1.9", factor=2))
    (package / "two.py").write_text(MODULE.format(release="1.10", factor=3))
    options = ["--no-deps", "--no-build-isolation", "--quiet", "--target", str(place)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:  # as without setuptools in this environment
        (place / "strange_kernels-1.0.dist-info").mkdir()
        entries = PROJECT.partition('[project.entry-points."kcfg.kernels"]')[2].replace('"', "")
        (place / "strange_kernels-1.0.dist-info" / "entry_points.txt").write_text(
            f"[kcfg.kernels]{entries}"
        )
        (place / "strange_kernels-1.0.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: strange-kernels\nVersion: 1.0\n"
        )
        package.rename(place / "strange_kernels")
    return place


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {str(installed)!r})\n"
    program += "from kcfg.cli.main import main\nmain()\n"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kernel_of_a_package_is_one_like_any_other(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "s.kcfg.yaml").write_text("kernel: strange\nshape: {rows: 5}\n")
    done = run(installed, tmp_path, "derive", "s.kcfg.yaml", "--get", "twice")
    assert done.stdout == "15\n", done.stderr
    older = run(installed, tmp_path, "derive", "s.kcfg.yaml", "--release", "1.9", "--get", "twice")
    assert older.stdout == "10\n", older.stderr
    explained = run(installed, tmp_path, "explain", "s.kcfg.yaml", "twice")
    assert "twice = rows * 3" in explained.stdout, explained.stderr
    listed = run(installed, tmp_path, "kernels")
    assert "strange" in listed.stdout and "1.9, 1.10" in listed.stdout
    manual = run(installed, tmp_path, "kernels", "strange")
    assert "Twice the rows." in manual.stdout, manual.stderr


def test_one_that_cannot_be_imported_is_told_of(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "s.kcfg.yaml").write_text("kernel: strange\nshape: {rows: 5}\n")
    done = run(installed, tmp_path, "derive", "s.kcfg.yaml")
    assert "strange_kernels.three" in done.stderr


def test_a_shipped_kernel_looks_for_none(installed: Path, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(installed)!r})\n"
        "from kcfg.cli.hook import run\n"
        "run(sys.argv[1:])\n"
        "print([name for name in sys.modules if 'strange' in name or 'definitions' in name])\n"
        "print('importlib.metadata' in sys.modules)\n"
    )
    (tmp_path / "s.kcfg.yaml").write_text("kernel: launch\nshape: {threads: 128}\n")
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "s.kcfg.yaml")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == ["[]", "False"]
