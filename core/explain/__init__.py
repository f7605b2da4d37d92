"""Why a number is what it is, a configuration is refused, and what would pass."""
