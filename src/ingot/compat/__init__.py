"""ingot behind the interfaces of other engines, so that programs written for these run unchanged."""
