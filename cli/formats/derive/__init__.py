"""How ``kcfg derive`` writes reports: each module has ``write(derived)``."""
