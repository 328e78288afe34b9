"""From definitions to kernels in memory: fusion, layout, schedule, memory plan."""
