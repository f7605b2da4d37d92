"""Output formats of ``kcfg sweep``, a module each.

A format that is written row by row has ``header`` and ``encode``, which give bytes that are
appended to a file; ``encode`` runs where a block is derived. A ``finish`` makes the file
that is wanted from the one that was appended to.
"""
