"""From what a command line says to what ``kcfg.core`` takes."""
