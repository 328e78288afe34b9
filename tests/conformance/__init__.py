"""ONNX's backend tests, all of them, and the file that says which pass: `conformance.toml`.

python -m tests.conformance update                      run everything on every code generator, rewrite the file
python -m tests.conformance check --codegen llvm        say where the file is not true
python -m tests.conformance check test_add test_conv    only these
"""
