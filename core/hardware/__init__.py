"""What the hardware is: limits, element types, instruction shapes, occupancy."""
