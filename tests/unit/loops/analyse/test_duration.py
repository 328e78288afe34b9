"""About how long a kernel takes, for different extents."""

from __future__ import annotations

import pytest

from ingot.loops.analyse.duration import CALL_CYCLES, SCATTERED_BYTES, WORK_OF_CYCLE, estimated_cycles
from ingot.loops.parse import from_text

# Each row goes down two nodes of a table, the second of which follows from the first.
TREES = """kernel trees {{
  in x: f32[{rows}, 4]{{4, 1}}
  in nodes: i32[1000, 2]{{2, 1}}
  out y: i32[{rows}]{{1}}
  for row < {rows} {{
    $0 = i64(nodes[0, 1])
    $1 = i64(nodes[$0, 1])
    store y[row] = nodes[$1, 0]
  }}
}}
"""
ROWS = """kernel rows {{
  in at: i64[{rows}]{{1}}
  in table: f32[1000, 8]{{8, 1}}
  out y: f32[{rows}, 8]{{8, 1}}
  for row < {rows} {{
    for column < 8 {{
      store y[row, column] = table[at[row], column]
    }}
  }}
}}
"""
QUANTIZED = """kernel quantized {{
  in x: i8[{rows}, 64]{{64, 1}}
  in w: i8[64]{{1}}
  out y: i32[{rows}]{{1}}
  for row < {rows} {{
    store y[row] = 0:i32
    for k < 64 {{
      store y[row] = (y[row] + (i32(x[row, k]) * i32(w[k])))
    }}
  }}
}}
"""


def _cycles(text: str, rows: int) -> int:
    return estimated_cycles(from_text(text.format(rows=rows)))


def test_a_table_whose_places_follow_from_values_counts_as_often_as_it_is_read() -> None:
    first = 8000 + 64 * 4  # `nodes[0, 1]`, so the whole of it, and results
    assert _cycles(TREES, 64) == CALL_CYCLES + (first + 64 * 2 * SCATTERED_BYTES) // WORK_OF_CYCLE


def test_rows_of_a_table_count_and_not_the_table() -> None:
    assert _cycles(ROWS, 10) == CALL_CYCLES + (10 * 8 + 10 * 32 + 10 * 32) // WORK_OF_CYCLE


@pytest.mark.parametrize("rows", [1, 8])
def test_integers_count_as_floats_do(rows: int) -> None:
    assert _cycles(QUANTIZED, rows) == CALL_CYCLES + rows * 64 * 2 // WORK_OF_CYCLE
