"""Kernels of installed packages, found by their entry points."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import kcfg
from kcfg.cli.main import application
from kcfg.core import kernels

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
    (tmp_path / "s.kcfg.yaml").write_text("kernel: strange\nshape: {rows: [5, 6, 7]}\n")
    done = run(installed, tmp_path, "sweep", "s.kcfg.yaml", "-q", "-j", "2", "--columns", "twice")
    assert done.stdout.split()[-3:] == ["15", "18", "21"], done.stderr
    told = "kernels of packages: `broken` of strange-kernels 1.0: "
    place = installed / "strange_kernels" / "three.py"
    assert done.stderr.splitlines() == [
        f"{told}{place}: this module cannot be loaded: "
        "ModuleNotFoundError: No module named 'strange_kernels.three'"
    ]


NAMED = MODULE.replace("rows * {factor}", "{formula}").replace('"{release}"', "{release!r}")
NAMED = NAMED.replace('"strange"', "{kernel!r}")


def strange(kernel: Any = "strange", release: Any = "1.0", formula: str = "rows * 2") -> str:
    return NAMED.format(kernel=kernel, release=release, formula=formula)


def saying(label: str, value: object) -> str:
    return strange(label).replace("needs =", f"{label} = {value!r}\n    needs =")


OFFERED: dict[str, tuple[str, str]] = {
    "good": ("good:Strange [extra]", strange("good")),
    "halting": ("halting:Strange", strange("halting", formula="rows // (self.rows - 3)")),
    "library": ("library:Strange", saying("library", None)),
    "default_target": ("aimed:Strange", saying("default_target", "b20")),
    "failing": ("failing:Strange", strange("failing", formula="rows.no_such")),
    "once": ("one:Strange", strange("twice_offered")),
    "again": ("two:Strange", strange("twice_offered")),
    "newer": ("three:Strange", strange("twice_offered", "1.1")),
    "syntax": ("syntax:Strange", "def ("),
    "leaves": ("leaves:Strange", "import sys\n\nsys.exit(3)"),
    "lacking": ("lacking:Strange", "import no_such_module"),
    "missing": ("missing:Strange", ""),
    "object": ("object:thing", "thing = 5"),
    "base": ("base:Kernel", "from kcfg.core.kernel import Kernel"),
    "nameless": ("nameless:Strange", strange(5)),
    "number": ("number:Strange", strange(release=1.0)),
    "path": ("path:Strange", strange("a/b.yaml")),
    "fa4": ("shipped:Strange", strange("fa4")),
    "launch": ("written:Strange", strange("launch")),
    "text": ("no path", ""),
    "nothing": ("", ""),
}
UNFIT = {
    "library": "others.library:Strange must say `library` as a text, not None",
    "default_target": "unknown target 'b20'; did you mean 'b200'?",
    "failing": "failing 1.0 cannot be derived: {folder}/failing.py:21: AttributeError: ",
    "syntax": "{folder}/syntax.py:1: this module cannot be loaded: SyntaxError",
    "leaves": "{folder}/leaves.py:3: this module cannot be loaded: SystemExit: 3",
    "lacking": "{folder}/lacking.py:1: this module cannot be loaded: ModuleNotFoundError",
    "missing": "{folder}/missing.py: this module cannot be loaded: it declares no Strange",
    "object": "others.object:thing is no class below kcfg.core.kernel.Kernel",
    "base": "others.base:Kernel is no class below kcfg.core.kernel.Kernel",
    "nameless": "others.nameless:Strange must say `kernel`, a text, not 5",
    "number": "others.number:Strange must say `release`, a text, not 1.0",
    "path": "must be called by letters, digits and _, a letter first, not 'a/b.yaml'",
    "text": "expected module:Class, not `others.no path`",
}


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package most of whose kernels are not to be had, and one that is no package at all."""
    folder, about = tmp_path / "others", tmp_path / "others-2.0.dist-info"
    folder.mkdir()
    about.mkdir()
    (folder / "__init__.py").write_text("")
    for at, text in OFFERED.values():
        (folder / f"{at.partition(':')[0]}.py").write_text(text)
    entries = "".join(f"{name} = others.{at}\n" for name, (at, _) in OFFERED.items())
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 2.0\n")
    (about / "entry_points.txt").write_text(f"[kcfg.kernels]\nnonsense\n{entries}[other]\na=b\n")
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"[kcfg.kernels]\n\xff")
    monkeypatch.syspath_prepend(str(tmp_path))
    kernels.packaged.cache_clear()
    yield folder
    kernels.packaged.cache_clear()
    for name in [each for each in sys.modules if each.partition(".")[0] == "others"]:
        del sys.modules[name]


def test_what_is_not_to_be_had_says_why_and_takes_nothing_with_it(others: Path) -> None:
    with pytest.warns(UserWarning, match="kernels of packages: ") as told:
        assert kcfg.derive("good", rows=3)["twice"] == 6
    assert len(told) == len({str(each.message) for each in told}) >= len(UNFIT)
    for name, why in UNFIT.items():
        with pytest.raises(kcfg.Error) as caught:
            kcfg.derive(name, rows=3)
        assert why.format(folder=others) in str(caught.value)
        said = [
            str(each.message) for each in told if f" `{name}` of others 2.0: " in str(each.message)
        ]
        assert name == "failing" or why.format(folder=others) in said[0]
    taken = [
        str(each.message) for each in told if "the name of a kernel of kcfg" in str(each.message)
    ]
    assert len(taken) == 2 and kcfg.kernel("fa4").title != kcfg.kernel("good").title
    assert kcfg.kernels()["twice_offered"] == ("1.1",) and kcfg.kernels()["good"] == ("1.0",)
    assert kcfg.derive("twice_offered", "1.1.3", rows=3).release == "1.1"
    with pytest.raises(kcfg.Error, match=r"1\.0 is both `again` of others 2\.0 and"):
        kcfg.derive("twice_offered", "1.0", rows=3)
    swept = kcfg.sweep("halting", rows=range(1, 6))
    assert (swept["twice"].tolist(), swept.faulty) == ([-1, -2, 4, 2], 1)
    with pytest.raises(kcfg.Error, match="did you mean 'good'"):
        kcfg.kernel("goood")


@pytest.mark.filterwarnings("ignore:kernels of packages")
def test_commands_say_at_each_place_what_is_not_to_be_had(others: Path, tmp_path: Path) -> None:
    names = ("syntax", "good", "failing", "twice_offered\nrelease: '1.0'")
    text = "---\n".join(f"kernel: {name}\nshape: {{rows: 4}}\n" for name in names)
    extended = "---\ndefines: mine\nextends: good 1.0\nvalues: {twice: rows * 7}\n"
    text += f"{extended}---\nkernel: mine\nshape: {{rows: 4}}\n"
    done = CliRunner().invoke(application(["validate"]), ["validate", "-"], input=text)
    assert done.exit_code == 1
    places = [line.split(" ")[0] for line in done.output.splitlines()[:-1]]
    assert places == ["<stdin>:1:9:", "<stdin>:8:1:", "<stdin>:11:10:"]
    assert done.output.splitlines()[-1].startswith(
        "1 file, 1 definition, 2 specs, 3 not understood"
    )
    done = CliRunner().invoke(
        application(["derive"]), ["derive", "-", "--get", "twice"], input=text
    )
    assert [line for line in done.output.splitlines() if line.isdecimal()] == ["8", "28"]
    for command in ("kernels", "schema", "define --like"):
        asked = [*command.split(" "), "syntax", *(["1.0"] if command == "define --like" else [])]
        done = CliRunner().invoke(application(asked), asked)
        assert done.exit_code == 2 and "syntax.py:1" in done.output


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
