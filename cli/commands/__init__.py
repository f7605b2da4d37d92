"""One module per command, each a function of the command's name."""
