"""What compilers made, read out of their logs and judged against a spec.

`Check` (module ``check``) is the door: it reads logs and picks the kernel that a spec is
about; the rules are those of ``kcfg.core.rules.compiled``.
"""
