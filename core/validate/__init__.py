"""Judging files: specs with their pins, launches, saved reports, whole directories.

`Run` (module ``run``) is the door: it goes through the paths it is given and yields what
it found in each document, every finding at the key that matters.
"""
