"""GEMMs of DeepGEMM: a layout, given or chosen among all that its heuristics weigh."""
