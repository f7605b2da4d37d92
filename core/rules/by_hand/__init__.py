"""Rules about what only a launch that is written by hand says, or a compiler's report."""
