"""What is said to a person, as pages: sequences of blocks, which ``kcfg.cli.render`` draws."""
