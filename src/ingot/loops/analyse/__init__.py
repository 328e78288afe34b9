"""What is known of a kernel from its text: ranges, cost, independence."""
