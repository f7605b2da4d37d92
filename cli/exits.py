"""The exit codes of every command."""

FINE = 0
"""All is well, or there is no difference."""
FOUND = 1
"""Understood, and found wrong, unsupported or different."""
FAILED = 2
"""The job could not be done: unreadable file, broken YAML, wrong usage."""
INTERRUPTED = 130
"""Ended by Ctrl-C before it was done, as shells have it."""
