"""Specs of real models' shapes, one YAML file each; read by ``kcfg.core.presets``."""
