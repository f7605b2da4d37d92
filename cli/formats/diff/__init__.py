"""How ``kcfg diff`` writes comparisons: each module has ``write(diffs, everything)``."""
