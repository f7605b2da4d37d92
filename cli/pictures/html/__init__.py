"""A report as one HTML file: no script, no other file, no network."""
