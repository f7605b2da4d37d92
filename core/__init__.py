"""kcfg's derivation engine: specs in, reports out; it knows nothing of terminals."""
