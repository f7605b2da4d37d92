"""The languages a configuration is emitted in, a module each: ``RESERVED`` and ``write``."""
