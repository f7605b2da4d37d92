"""A block as it is launched, with everything that a limit can be about.

`kcfg.core.block.block.Block` is the one model of it: rules judge it, and reports, pictures,
emitted code and comparisons show it. It is filled by whoever knows something of a block: a
derived kernel (module ``derived``), a launch written by hand (``kcfg.core.launch``), a saved
report (``kcfg.core.saved.block``). What nobody gives is not there, and not judged.
"""
