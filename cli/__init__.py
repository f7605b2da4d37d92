"""kcfg's commands: thin Typer doors in front of ``kcfg.core``."""
