"""What every test starts from: text as wide as where nobody says, and bytecode that is kept.

Containers often keep none; each process that a test starts would compile all of kcfg anew.
"""

from __future__ import annotations

import os
import sys

os.environ.pop("COLUMNS", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
