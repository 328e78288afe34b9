"""The declarations of a model's entries for C."""

from __future__ import annotations


def prototype(symbol: str, *, shaped: bool = False, parallel: bool = False, state: bool = False) -> str:
    """The declaration of an entry, without its semicolon.

    Args:
        symbol: of the model, or of what its structs and functions are called by inside.
        shaped: the entry for any size of extents that vary.
        parallel: the one that takes a pool of threads.
        state: of a model that has state.
    """
    name = f"{symbol}_run{'_shaped' * shaped}{'_parallel' * parallel}"
    inputs, outputs = f"const struct {symbol}_inputs *inputs", f"const struct {symbol}_outputs *outputs"
    memory = f"{'void *state, ' * state}void *workspace{', struct ingot_pool *pool' * parallel}"
    if shaped:
        return f"int32_t {name}(const int64_t *dims, {inputs},\n    {outputs}, {memory})"
    return f"int32_t {name}({inputs}, {outputs},\n    {memory})"
