"""Pictures as SVG: one file that needs no other, in light and dark, with its text as text."""
