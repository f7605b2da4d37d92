"""What every test starts from: text as wide as where nobody says how wide."""

from __future__ import annotations

import os

os.environ.pop("COLUMNS", None)
