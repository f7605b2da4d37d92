"""Files that commands write: whole or not at all, and left alone where nothing changed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kcfg.cli.saving import SaveError, save


def test_a_new_file_is_written(tmp_path: Path) -> None:
    assert save(str(tmp_path / "a.h"), "text\n") is True
    assert (tmp_path / "a.h").read_bytes() == b"text\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.h"]


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "real.h", tmp_path / "link.h"
    file.write_text("old")
    file.chmod(0o750)
    link.symlink_to(file)
    assert save(str(link), "new") is True
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o750


def test_what_is_the_same_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.h"
    file.write_text("same")
    os.utime(file, (1, 1))
    assert save(str(file), "same") is False
    assert file.stat().st_mtime == 1


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.h"
    file.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match=r"a\.h: cannot be written: No space left on device"):
        save(str(file), "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.h"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.skipif(os.geteuid() == 0, reason="root, for whom a device could be replaced")
def test_a_device_is_written_to_as_it_is() -> None:
    with pytest.raises(SaveError, match="No space left"):
        save("/dev/full", "text")
    assert save(os.devnull, "text") is True


def test_what_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SaveError, match=r"there is no directory .*/no; create it first"):
        save(str(tmp_path / "no" / "a.h"), "text")
    with pytest.raises(SaveError, match="this is a directory"):
        save(str(tmp_path), "text")
    with pytest.raises(SaveError, match="cannot be written"):
        save(str(tmp_path / "a\0b"), "text")
    (tmp_path / "a.h").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(SaveError, match="the file is read-only"):
        save(str(tmp_path / "a.h"), "new")
    assert (tmp_path / "a.h").read_text() == "old"
