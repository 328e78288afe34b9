"""What happens at the border of a model: text, sequences, optionals and maps, which no kernel has. NumPy only.

`program` has the nouns, `steps` what each step does, `full_match` regular expressions. The graph room makes a `Border`, the
artifact room stores and checks it, the runtime executes it.
"""
