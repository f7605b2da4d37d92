"""``python -m kcfg.cli`` is ``kcfg``."""

from kcfg.cli.main import main

if __name__ == "__main__":  # not in the processes a sweep starts
    main()
