"""How ``kcfg validate`` writes what it found: each module has ``write(run)``."""
