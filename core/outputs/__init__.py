"""JSON Schemas of what kcfg writes, for whoever reads it.

`schema` (module ``outputs``) is the door. They are closed: what a release adds is in its own.
"""
