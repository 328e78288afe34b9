"""The loop IR: nodes, text form, verifier, interpreter, passes."""
