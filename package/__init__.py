"""kcfg: the folder that ``cli``, ``core`` and ``presets`` are installed into.

It is a package of its own, with this one file, so that uninstalling takes all of it away: an
empty folder that was left would still import.
"""
