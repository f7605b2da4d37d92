"""Reports that ``kcfg derive`` saved, read back as strictly as they were written."""
