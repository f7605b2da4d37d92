"""What is said to a person, as pages: sequences of pieces, which ``kcfg.cli.render`` draws."""
