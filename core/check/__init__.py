"""What compilers made, read out of logs, objects, PTX and caches, and judged against a spec.

`Check` (module ``check``) is the door: it reads files and picks the kernel that a spec is
about; the rules are those of ``kcfg.core.rules.compiled``.
"""
