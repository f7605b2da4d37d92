"""How ``kcfg explain`` writes: each module has ``write(told, tree)``."""
