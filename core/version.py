"""kcfg's own version, also the package's."""

VERSION = "0.1.0"
