"""Intel Ice Lake-SP (Sunny Cove)."""

from ingot.machines.microarchitecture import Microarchitecture

ICELAKE = Microarchitecture(
    name="Ice Lake-SP", cpus=("icelake-server", "icelake_server"), l2_bytes=1280 << 10
)
