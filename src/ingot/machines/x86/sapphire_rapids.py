"""Intel Sapphire Rapids and Emerald Rapids."""

from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.x86.granite_rapids import GOLDEN_COVE_512

# All was measured on a Granite Rapids, see `granite_rapids`, whose core is of the same kind. Virtual machines may give
# such a CPU another name, but say that it has AMX, as no other kind does.
SAPPHIRE_RAPIDS = Microarchitecture(
    name="Sapphire Rapids",
    cpus=("sapphirerapids", "emeraldrapids"),
    l2_bytes=2 << 20,
    amx=True,
    feature="+amx-tile",
    slow_l2_stores=True,
    l2_fills_use_load_ports=True,
    tuning_512=GOLDEN_COVE_512,
)
