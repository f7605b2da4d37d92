"""Ways to draw a page (``kcfg.cli.page``)."""
