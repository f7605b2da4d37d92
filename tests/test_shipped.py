"""Definitions that are shipped: found by their file names, read when their kernel is named."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import shapes
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.core import kernels
from kcfg.core.definitions.shipped import shipped
from kcfg.core.errors import BrokenModuleError
from kcfg.core.spec import head

DEFINED = [each for each in shapes.RELEASES if each not in shapes.IN_PYTHON]
SMALL = """\
defines: {name}
version: "{version}"
inputs: {{n: 1}}
values: {{twice: n * 2}}
supported: {{small: twice < 10}}
"""


def kcfg(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(application(arguments), list(arguments), input=stdin)


@pytest.mark.parametrize(("kernel", "release"), DEFINED)
def test_a_shipped_definition_is_a_kernel_like_those_in_python(kernel: str, release: str) -> None:
    cls = kernels.find(kernel, release)
    assert (cls.kernel, cls.release, cls.digest) == (kernel, release, None)
    assert cls is kernels.find(kernel, release)
    assert cls.library and cls.title and cls.struct
    for member in (*cls.inputs.values(), *dict(cls.declared()).values()):
        assert member.doc or getattr(member, "step", True), member.key


def test_libraries_stand_together() -> None:
    lines = kcfg("kernels").stdout.splitlines()
    libraries = [line for line in lines if line and not line.startswith(" ")]
    assert libraries == sorted(set(libraries), key=lambda each: (each[:2] == "Of", each.lower()))
    assert len(libraries) > 2 and lines[-1].strip().startswith("launch")


COMMANDS = [
    ("derive", "--preset", "llama-3-8b", "--get", "num_kv_stages"),
    ("validate", "--preset", "llama-3-8b"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_definition_is_read_for_another_kernel(command: tuple[str, ...]) -> None:
    program = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, about: opened.append(about[0]) if event == 'open' else 0)\n"
        "from kcfg.cli.main import application\n"
        "application(sys.argv[1:])(standalone_mode=False)\n"
        "print(*(each for each in opened if str(each).endswith('.yaml')), file=sys.stderr)\n"
        "print(*(each for each in sys.modules if 'definitions' in each), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=True
    )
    assert [Path(each).stem for each in done.stderr.split()] == ["llama-3-8b"]


def test_another_kernel_is_not_named_for_what_it_has_no_case_of() -> None:
    spec = "{kernel: fa4_cute, shape: {head_dim: 192, head_dim_v: 192}}"
    assert "another kernel" not in kcfg("explain", "-", stdin=spec).stdout


# One's own


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that stands in for the one of kernels, with a kernel called ``mine``."""
    monkeypatch.setattr(kernels, "__path__", [str(tmp_path)])
    (tmp_path / "mine").mkdir()
    caches = (kernels.names, kernels._files, kernels._releases, kernels._defined, head._class)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path / "mine"
    for cache in caches:
        cache.cache_clear()


def test_a_file_is_a_release(mine: Path) -> None:
    for version in ("1.2", "1.10", "2.0.0b36", "5ab1e23"):
        name = f"r{version.replace('.', '_')}.yaml"
        (mine / name).write_text(SMALL.format(name="mine", version=version))
    (mine / "rows.yaml").write_text("no: release")
    assert kernels.releases("mine") == ("5ab1e23", "1.2", "1.10", "2.0.0b36")
    assert kernels.find("mine").release == "2.0.0b36"
    for asked, got in (("1.2", "1.2"), ("1.10.3", "1.10"), ("5ab1e23", "5ab1e23")):
        result = kcfg("derive", "-", stdin=f"{{kernel: mine, release: {asked}, shape: {{n: 3}}}}")
        assert result.stdout.startswith(f"mine {got} on b200"), result.stderr
    result = kcfg("derive", "-", stdin="{kernel: mine, release: 5ab1e24}")
    assert "expected a release of mine, one of 5ab1e23, 1.2, 1.10" in result.stderr


def test_one_extends_another(mine: Path) -> None:
    (mine / "r1_0.yaml").write_text(SMALL.format(name="mine", version="1.0"))
    (mine / "r1_1.yaml").write_text(
        'defines: mine\nversion: "1.1"\nextends: mine 1.0\nchanges: Three.\n'
        "values: {twice: n * 3}\n"
    )
    assert kernels.find("mine").changes == "Three."
    spec = "{kernel: mine, shape: {n: 2}}"
    assert kcfg("derive", "-", "--get", "twice", stdin=spec).stdout == "6\n"
    assert "small" in kcfg("explain", "-", "--set", "n=4", stdin=spec).stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SMALL.format(name="mine", version="1.1"), "its name says mine 1.0, its text mine 1.1"),
        (SMALL.format(name="other", version="1.0"), "its name says mine 1.0, its text other 1.0"),
        (SMALL.format(name="mine", version="1.0").replace("n *", "m *"), ":4:"),
        ("title: mine", "it is no definition"),
        ("defines: [", ":1:"),
        ("- 1", "it is no definition"),
    ],
)
def test_one_with_mistakes_is_told_by_its_file(text: str, why: str, mine: Path) -> None:
    path = mine / "r1_0.yaml"
    path.write_text(text)
    with pytest.raises(BrokenModuleError) as caught:
        shipped(os.fspath(path), "mine", "1.0", kernels.find)
    assert why in str(caught.value)
    assert str(path) in str(caught.value)
    assert repr(kcfg("derive", "-", stdin="{kernel: mine}").exception) == repr(caught.value)


@pytest.mark.parametrize("kernel", kernels.names())
def test_the_library_of_a_kernel_is_known_without_reading_it(kernel: str) -> None:
    assert kernels.library(kernel) == kernels.find(kernel).library != ""
