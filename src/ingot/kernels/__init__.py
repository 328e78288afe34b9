"""How an output is computed: problems, algorithms and their loops. No ONNX name is known here."""
