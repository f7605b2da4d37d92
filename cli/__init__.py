"""kcfg's commands: what people type and read, around ``kcfg.core``.

``main``, ``hook`` and ``emit_hook`` are the programs. A command in ``commands`` has a command
line read by ``intake``, and what core makes of it written by ``formats`` or ``pictures``: most
of them take a page from ``pages`` and have it drawn by ``render``.
"""
