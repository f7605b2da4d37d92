"""How a struct declares its quantities, and how a formula is read as data."""
