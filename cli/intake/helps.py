"""What ``--help`` says of arguments and options that several programs share."""

from __future__ import annotations

ONE = "FILE#2 is the second document of a file alone."
SPECS = (
    "Spec files, directories of specs, `-` for standard input, or presets by name where no such "
    f"file exists; {ONE}"
)
PRESET = "A shipped spec (see `kcfg presets`); repeatable."
SETTING = "Set an input over the file; repeatable."
RELEASE = "Derive as of this upstream release; a launch, which has none, stays as it is."
TARGET = "Derive for this GPU, such as b200, whatever the specs say."
