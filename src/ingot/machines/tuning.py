"""`Tuning`: the numbers that came from a stopwatch, each with where and when it was measured.

What a processor can do is a fact, and stands in `Machine`. What pays there was measured, and stands here: as
defaults, which count for every kind of core, and in the record of a microarchitecture where its own numbers
differ. A number is in here if another machine could have another one. Mathematics, formats, and what only bounds
the size of code stand where they are used.

How they were measured, unless a number says otherwise: one layer by `benchmarks/layers.py`, networks by
`benchmarks/run.py`, the thread pool by `benchmarks/pool.c`, and what a core can do at most by
`benchmarks/peak.c`. `docs/measurements/benchmarks.md` describes the machines. Cycles are those of one core.
"""

from __future__ import annotations

from ingot.base.records import Frozen


class Threads(metaclass=Frozen):
    """When work is handed to other threads, and in how many pieces (`docs/measurements/threads.md`)."""

    # Of half a microsecond, the unit in which the pool is told how long work is (`native/pool.h`).
    half_microsecond_cycles: int = 1_500
    # The least work that is handed over. From 0.8 µs on `kws_fp32` took 15.6 µs (16.5 from 1 µs on), from
    # 0.5 µs on nothing was quicker. `benchmarks/pool.c`, Zen 5, 2026-11-22.
    task_cycles: int = 1_500
    # The same in steps, each of which needs all that the threads made in the one before. A step reads
    # weights, and L2 of cores with vectors of 64 bytes delivers twice as many bytes in a cycle as that of
    # others. A GRU of 128 elements took 73 µs on two threads of a Zen 3 instead of 92, and gained nothing
    # on a Zen 5. 2026-11-22 (docs/decisions/steps-with-shared-work.md).
    step_task_cycles: int = 1_200
    wide_step_task_cycles: int = 3_000
    # Of a line that another core has, while others are on their way, too. `vww_fp32` took 0.85 of its
    # time on two threads. Granite Rapids, 2026-11-24 (docs/decisions/middle-over-middle.md).
    line_cycles: int = 20
    # Of all calls of a program whose loops paired threads share: where loops are longer, handing them
    # over is little. Granite Rapids, 2026-11-24.
    paired_max_cycles: int = 1_000_000
    # Of one thread, in a loop that goes by ranges. 2026-11-26 (docs/decisions/loops-by-ranges.md).
    range_max_tasks: int = 8
    # Of all cores' time, with shares that are as good as equal. 16 cores of an Emerald Rapids, 2026-11-26.
    even_share: float = 0.94


class LoopCosts(metaclass=Frozen):
    """What a loop takes, in the estimate that decides whether it is shared out: within a factor of two or so of what is measured.

    Held against the times of kernels, 2026-11-21; on which machine nobody wrote down.
    """

    call_cycles: float = 10.0  # of a function that is written out, such as exp
    libm_cycles: float = 40.0  # of a function of the C library
    divide_cycles: float = 6.0
    arithmetic_cycles: float = 0.5  # two units
    iteration_cycles: float = 0.5  # of a loop that stays a loop: counting and a branch, beside other work
    load_cycles: float = 0.15  # most loads are an operand of the instruction that works with it
    bytes_per_cycle: float = 24.0  # from a cache that all cores share
    # How much quicker AMX is than dot products of packed int8x4 in vectors of 64 bytes, two a cycle: 5310
    # and 870 GOP/s by `benchmarks/peak.c`, less what tiles wait for. Granite Rapids, 2026-11-23.
    amx_speedup: int = 8


class Winograd(metaclass=Frozen):
    """When Winograd's algorithm pays, and in what order it goes through tiles and panels of weights.

    Measured on layers of 3×3 of ResNet-18, ResNet-50 and MLPerf Tiny's ResNet, mostly on a Granite Rapids.
    """

    # What the definition reaches of two FMAs a cycle, and what is to be left of its time. 2026-11-21.
    direct_efficiency: float = 0.9
    worth: float = 0.9
    # Of a vector of weights, beside what is read and written of it; of each matrix of a vector of inputs or
    # results; of a byte of weights that come from memory while nothing else is done. 2026-11-21.
    weight_transform_cycles: int = 14
    transform_cycles: int = 3
    memory_bytes_per_cycle: int = 8
    # As many tiles may be transformed at once, and panels of weights one after another. 2026-11-21.
    few_tiles: int = 64
    # Groups of tiles for each panel of weights at a time, and ranges of such for threads. 2026-11-26.
    together_max: int = 4
    together_ranges: int = 8
    # Of a plan that only one thread can do: by how much it must be quicker. 2026-11-21.
    unshared_penalty: float = 1.2
    # Of five taps and few tiles: 48 channels to 128 of 7×7 took 0.97 of the definition's time on one thread
    # of a Zen 4, on two 1.3. 2026-11-26.
    five_taps_penalty: float = 1.4
    # Of the products of a block that is worth giving to another thread. 2026-11-21.
    shared_cycles: int = 4_500
    # Of a row of transformed weights that stays in L1 until it is used: layers of 64 to 256 channels of 14×14
    # and 28×28 took 0.85 to 0.95 of the time. Granite Rapids, 2026-11-23.
    row_bytes: int = 24 * 1024
    # Of copies by F(4×4), which take as much memory as those by F(2×2) for a quarter of the transforms. MLPerf
    # Tiny's ResNet took 95 µs while its 32 channels came before its 64, 90 since they leave room for them; two
    # threads 82 and 80. Granite Rapids, 2026-11-23.
    large_copy_max_bytes: int = 64 * 1024
    # Of all transformed weights, where each thread makes them for itself. 16 cores of an Emerald Rapids,
    # 2026-11-26.
    own_weights_max_bytes: int = 1 << 20
    # What cuts a box of tiles and panels into shares: the transform of a vector of weights by F(4×4), that of
    # inputs and results for each of their matrices, and a line that another core has. 2026-11-26.
    box_weight_cycles: float = 55.0
    box_matrix_cycles: float = 3.0
    box_line_cycles: float = 10.0
    # Tiles that AMX takes at a time. 2026-11-23.
    amx_tiles: int = 400

    # Quantized: how much longer dot products of four bytes take that are made of pairs of 16-bit numbers. 2.5
    # on a Zen 3, and what is counted too much of few tiles, where the two are near each other. 2026-11-22.
    pairs_penalty: float = 3.3
    # Products of packed int8x4 for each int32 of a vector in a cycle, by the definition: 93 % of two; and of
    # NEON without dot products, where eight products in each of four lanes take two long multiplications.
    # 2026-11-21 and 2026-11-26.
    dot_products_per_cycle: float = 1.86
    short_products_per_cycle: float = 2.0
    # Of the transforms of a vector of inputs, results and weights. 2026-11-21.
    int8_input_cycles: int = 110
    int8_result_cycles: int = 130
    int8_weight_cycles: int = 170


class Amx(metaclass=Frozen):
    """When products go through AMX tiles. Measured on a Granite Rapids, 2026-11-23, unless a number says otherwise."""

    # float32 by bf16x3. From so many cores on vectors are quicker: on 16 virtual cores of an Emerald Rapids a
    # MiniLM took 10.6 ms in tiles with four threads and 8.0 in vectors, a block of GPT-2 5.4 and 4.9, ResNet-50
    # 22.8 and 20.1; with sixteen 7.0 and 4.0, 3.2 and 2.5, 12.0 and 8.7. 2026-11-26.
    vector_cores: int = 4
    # Cores of a CPU that is only named, with which tiles are used: on two of another Emerald Rapids a MiniLM
    # took 1.2 to 1.6 times as long in tiles as in vectors, on one as long. 2026-11-27.
    named_max_cores: int = 1
    # How much quicker tiles must be in the probe of `native`: whole kernels reach 0.68 of what tiles can (290 of
    # 426 GFLOP/s), for they split numbers as well; in vectors 0.9. 2026-11-27.
    probe_worth: float = 1.3

    # Products of matrices: of a product of tiles with what it loads, of splitting an element of the rows, of one
    # of the weights interleaved with products and alone, of a tile of results, of a sum that is kept in memory
    # between two chunks, and more of a weight that comes from memory: in vectors it is prefetched, here that
    # gained nothing. All of it must be this part of the cycles in vectors.
    matmul_product_cycles: float = 22.0
    matmul_row_cycles: float = 0.8
    matmul_weight_cycles: float = 0.35
    matmul_alone_cycles: float = 0.9
    matmul_result_cycles: float = 60.0
    matmul_kept_cycles: float = 0.5
    matmul_far_cycles: float = 0.4
    matmul_worth: float = 0.92

    # Convolutions of one tap: of a product of tiles with what it loads, of splitting an element of the pixels,
    # and of a tile of results. Shorter convolutions are quicker on one thread, too (MobileNet-V2's of 14×14
    # pixels 0.71 to 0.84 of the time), but on two they, and the layers behind them, which find their inputs in
    # the other core's cache, took 1.05 to 1.4.
    conv_product_cycles: float = 20.0
    conv_pixel_cycles: float = 0.5
    conv_result_cycles: float = 60.0
    conv_worth: float = 0.9
    conv_min_operations: int = 30_000_000

    # int8: of a product of tiles with what it loads, and more of a tile of results than with sums in vectors: it
    # is stored and read again. 16 channels of 112×112 pixels took 143 µs in tiles and 112 in vectors, 24 channels
    # 56 and 51, 32 channels 27 and 30. And what a register block reaches in vectors, of two a cycle.
    int8_product_cycles: float = 18.0
    int8_result_cycles: float = 40.0
    int8_vectors_per_cycle: float = 1.86
    # Of the product of two tiles, and of a load of one that stays in L1, in so many bytes of its 48 KB, or in L2.
    # Half of the loads are hidden. Of ResNet-18's layers 3×3 with 512 channels at 7×7 took 107 µs as 64x1 and
    # 120 as 32x2, with 64 channels at 56×56 76 and 71; every other pixel of 256 channels, seven in a row, 83 as
    # 7x1, 103 as 7x2.
    product_cycles: int = 16
    load_cycles: tuple[tuple[int, int], ...] = ((32 << 10, 8), (48 << 10, 14))
    load_far_cycles: int = 24


class Prefetch(metaclass=Frozen):
    """When weights are prefetched that are read once, each a moment later."""

    # With more rows there is enough to do while the processor itself fetches what comes next. From a cache that
    # cores share weights came with 125 GB/s, without prefetches with 104; from a core's own caches, or from
    # memory, they took 1.1 to 1.2 times as long. A distance of 1 to 6 KB does equally well. On which machine is not
    # written down, 2026-11-21.
    stream_max_rows: int = 4
    stream_bytes: int = 4096


class Matmul(metaclass=Frozen):
    """How a matrix product goes by panels. On which machine is not written down, unless a number says it."""

    # Rows of a task, where a target says how many cores there are. 16 cores of an Emerald Rapids, 2026-11-26.
    task_min_rows: int = 8
    # Of weights, from which on few rows are shared out, and vectors of a block that is divided for that: as wide
    # as registers allow there was one panel, which one thread did. 2026-11-21.
    shared_min_bytes: int = 128 * 1024
    wide_vectors: int = 6
    # Columns for which each element of a left operand is used that is copied to better places. 2026-11-21.
    copy_min_columns: int = 64
    # Of a right operand that is not constant and copied into panels; blocks of rows that read them; L2 caches
    # that all panels of a batch fill. Products of 512×512 took 1.5 times as long without. Zen 3, 2026-11-22.
    panels_min_bytes: int = 32 * 1024
    panels_min_blocks: int = 10
    panels_max_caches: int = 8
    # Steps of a sum between two prefetches for the next panel. 2026-11-21.
    prefetch_steps: int = 4
    # Of weights, from which on a single row is prefetched whole. 2026-11-23.
    row_prefetch_min_bytes: int = 16 * 1024


class Pairwise(metaclass=Frozen):
    """When products of matrices go by pairwise inner products (Winograd 1968). Measured on a Zen 4, 2026-11-26."""

    # Of a row that is copied, of each vector and each run of it; of a step of a sum, and of its result.
    row_cycles: float = 12.0
    vector_cycles: float = 6.0
    run_cycles: float = 8.0
    step_cycles: float = 1.03
    result_cycles: float = 3.5
    # Rows that take as long as what a register block takes besides its own.
    block_rows: float = 0.5
    # More of a weight that comes from memory than by definition: fewer multiply-adds hide less of that.
    # With few rows qwen3 and gemma had lost a quarter.
    far_cycles: float = 0.4
    # Of the time of a vector, that half a vector takes: it has as many loads.
    half_vector: float = 0.87
    # Of the cycles by definition.
    worth: float = 0.98
    # Of weights that are read again for each block of rows, and of how many blocks; of L2, that copied rows take.
    reread_max_bytes: int = 512 * 1024
    reread_min_blocks: int = 4
    copied_share: float = 0.55


class Strassen(metaclass=Frozen):
    """When matrix products go by Strassen's algorithm. With AVX2 and with AVX-512 on one processor, 2026-11-22."""

    # Of the cycles of the definition.
    worth: float = 0.965
    # L2 caches that the left operand fills: its sums are as much again. With 12.6 MB they took 1.11 times as long.
    left_max_caches: int = 8
    # Blocks of rows that a task goes through before the next product; what one takes besides multiply-adds.
    task_blocks: int = 8
    block_cycles: int = 30
    # Of a vector of the left operand and of the result, for all their sums; of one of the weights, for each task
    # that sums them: with 16 to 128 rows, interleaved with multiply-adds.
    sum_cycles: int = 4
    weight_sum_cycles: float = 1.5


class Recurrent(metaclass=Frozen):
    """How steps of recurrent networks read their weights. On which machine is not written down, unless a number says it."""

    # Sequences that take longer to compute than their weights to read from L2. 2026-11-21.
    compute_bound_rows: int = 4
    # Of weights of the state, from which on each step is shared out: reading them takes longer than having threads
    # meet. An LSTM 32×512 took 851 µs on two threads, 1566 without. The same where a batch gives nothing else to
    # share out, and for a group of tiles that is handed over. 2026-11-21.
    shared_min_bytes: int = 512 * 1024
    alone_shared_min_bytes: int = 128 * 1024
    group_min_bytes: int = 128 * 1024
    # Of weights, of which the part that stays in L1 is worth reading first.
    alternating_max_bytes: int = 512 * 1024
    # Of a state that is prefetched whole: steps of larger ones take so long that nothing of it is seen.
    prefetch_max_bytes: int = 2048
    # Of weights of a tile, of which enough stay in L1 to be read from there if they are next again. 2026-11-21.
    tile_max_bytes: int = 32 * 1024
    # That read the same one of two copies of the weights before the other is read. Three of them begin with what
    # the one before left in L1; with eight, reading is as slow as with one copy. Zen 5, 2026-11-21.
    copy_steps: int = 4


class Conv(metaclass=Frozen):
    """How direct convolution reads its input and weights. On which machine is not written down, unless a number says it."""

    # Channels of an input that is copied with channels last, fewer planes stay within reach; products of each
    # element that is copied; of a half float.
    copy_min_channels: int = 64
    copy_min_uses: int = 128
    copy_min_uses_half: int = 32
    # Of a pointwise convolution where vectors are as long as a line: a block finds what it reads of a plane in a
    # line or two. Zen 5 took 0.89 to 0.98 of the time in place with 128 to 512 products of each, as long with 1024.
    copy_min_uses_pointwise: int = 1024
    # Of weights that are read for each row of outputs, which come at first without a prefetch. Of 14×14 images
    # those of 1 MB took a sixth of the time to come from L3, and none as panels that are prefetched. Granite Rapids.
    row_weights_max_bytes: int = 512 * 1024
    # Of a sum: with fewer steps, prefetching takes its share.
    prefetch_min_steps: int = 32
    # An input of so few channels is that of a model. It lies far away, in short rows of which a processor's own
    # prefetching finds the beginnings too late.
    prefetch_max_channels: int = 4
    # That a block prefetches, one by one: patches of 16×16 would need hundreds, and take 1.04 times as long.
    prefetch_max_lines: int = 64


class Bands(metaclass=Frozen):
    """When large feature maps go by bands of rows (`plan/layout/bands.py`)."""

    # Processors with so large an L2 have a slow L3: a core of a Granite Rapids reads 185 GB/s from L2 and 31 from L3,
    # and MobileNet-V2 takes 0.85 of the time in bands. Processors with a smaller L2 were not measured.
    min_l2_bytes: int = 2 << 20
    # Of what need not go out and come back; a core could do 7 in the time of one byte.
    operations_per_byte: int = 2


class Tuning(metaclass=Frozen):
    """All that was measured, by what asks for it. The defaults count for a CPU without a record."""

    threads: Threads = Threads()
    costs: LoopCosts = LoopCosts()
    winograd: Winograd = Winograd()
    amx: Amx = Amx()
    prefetch: Prefetch = Prefetch()
    matmul: Matmul = Matmul()
    pairwise: Pairwise = Pairwise()
    strassen: Strassen = Strassen()
    recurrent: Recurrent = Recurrent()
    conv: Conv = Conv()
    bands: Bands = Bands()
    # Of the time with whole vectors, that half ones must need, of which it takes twice as many instructions. Zen 4,
    # 2026-11-23.
    half_vectors_worth: float = 0.95
    # L2 caches that one core's part of the last-level cache is taken for. Not measured.
    l3_caches: int = 16
