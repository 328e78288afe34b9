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
from ingot.machines.tuning_conv import Conv as Conv
from ingot.machines.tuning_conv import ConvInt8 as ConvInt8
from ingot.machines.tuning_conv import Depthwise as Depthwise
from ingot.machines.tuning_conv import Winograd as Winograd


class Threads(metaclass=Frozen):
    """When work is handed to other threads, and in how many pieces (`docs/measurements/threads.md`)."""

    # Of half a microsecond, the unit in which the pool is told how long work is (`native/pool.h`).
    half_microsecond_cycles: int = 1_500
    # The least work that is handed to another thread. From 0.8 µs on `kws_fp32` took 15.6 µs (16.5 from 1 µs on), from
    # 0.5 µs on nothing was quicker. `benchmarks/pool.c`, Zen 5, 2026-11-22.
    task_cycles: int = 1_500
    # The same in a loop in steps, each of which needs all results of the step before. A step reads
    # weights, and L2 of cores with vectors of 64 bytes delivers twice as many bytes in a cycle as that of
    # others. A GRU of 128 elements took 73 µs on two threads of a Zen 3 instead of 92, and gained nothing
    # on a Zen 5. 2026-11-22 (docs/decisions/steps-with-shared-work.md).
    step_task_cycles: int = 1_200
    wide_step_task_cycles: int = 3_000
    # To fetch a cache line from another core, while other lines are on their way, too. `vww_fp32` took 0.85 of its
    # time on two threads. Granite Rapids, 2026-11-24 (docs/decisions/middle-over-middle.md).
    line_cycles: int = 20
    # Paired threads share the loops of programs whose calls take at most this together: for longer loops
    # the cost of handing them over is small. Granite Rapids, 2026-11-24.
    paired_max_cycles: int = 1_000_000
    # Tasks of one thread, in a loop that goes by ranges. 2026-11-26 (docs/decisions/loops-by-ranges.md).
    range_max_tasks: int = 8
    # Parts of such a loop, each of which has memory of its own, and iterations of each, where every thread has some: beginning
    # takes about a third of one. 2026-11-26.
    range_max_parts: int = 16
    range_min_run: int = 6
    # The part of all cores' time in use from which on shares count as equal. 16 cores of an Emerald Rapids, 2026-11-26.
    even_share: float = 0.94
    # Tasks of a loop where nobody says how many cores there are: two, three and four threads get equal shares.
    tasks: int = 12
    # A copy of fewer elements is done before threads have been woken for it. Before 2026-11-21, command not kept.
    copy_min_elements: int = 1 << 16


class LoopCosts(metaclass=Frozen):
    """What a loop takes, in the estimate that decides whether it is shared out: within a factor of two or so of what is measured.

    Compared with measured times of kernels, 2026-11-21; the machine was not recorded.
    """

    call_cycles: float = 10.0  # of a function that is written out, such as exp
    libm_cycles: float = 40.0  # of a function of the C library
    divide_cycles: float = 6.0
    arithmetic_cycles: float = 0.5  # two units
    iteration_cycles: float = 0.5  # of a loop that stays a loop: a counter and a branch among other work
    load_cycles: float = 0.15  # most loads are an operand of the instruction that works with it
    bytes_per_cycle: float = 24.0  # from a cache that all cores share
    # How much quicker AMX is than dot products of packed int8x4 in vectors of 64 bytes, two a cycle: 5310
    # and 870 GOP/s by `benchmarks/peak.c`, less what tiles wait for. Granite Rapids, 2026-11-23.
    amx_speedup: int = 8


class Amx(metaclass=Frozen):
    """When products go through AMX tiles. Measured on a Granite Rapids, 2026-11-23, unless a number says otherwise."""

    # float32 by bf16x3. With so many cores or more, vectors are quicker: on 16 virtual cores of an Emerald Rapids a
    # MiniLM took 10.6 ms in tiles with four threads and 8.0 in vectors, a block of GPT-2 5.4 and 4.9, ResNet-50
    # 22.8 and 20.1; with sixteen 7.0 and 4.0, 3.2 and 2.5, 12.0 and 8.7. 2026-11-26.
    vector_cores: int = 4
    # Tiles are used on a CPU that is only named, not probed, with at most so many cores: on two of another Emerald
    # Rapids a MiniLM took 1.2 to 1.6 times as long in tiles as in vectors, on one as long. 2026-11-27.
    named_max_cores: int = 1
    # How much quicker tiles must be in the probe of `native`: whole kernels reach 0.68 of what tiles can (290 of
    # 426 GFLOP/s), for they split numbers as well; in vectors 0.9. 2026-11-27.
    probe_worth: float = 1.3

    # Matrix products, in this order: a product of tiles with its loads; splitting an element of the rows; splitting
    # one of the weights, interleaved with products and alone; a tile of results; a sum that is kept in memory
    # between two chunks; and the surcharge for a weight that comes from memory, which vector code prefetches, while
    # here a prefetch gained nothing. In all it may take at most `worth` of the cycles in vectors.
    matmul_product_cycles: float = 22.0
    matmul_row_cycles: float = 0.8
    matmul_weight_cycles: float = 0.35
    matmul_alone_cycles: float = 0.9
    matmul_result_cycles: float = 60.0
    matmul_kept_cycles: float = 0.5
    matmul_far_cycles: float = 0.4
    matmul_worth: float = 0.92
    # Of L2, the part for rows that are used together, of which there are not fewer for it. Tasks whose memory is near: some
    # run one after the other. 2026-11-23 and 2026-11-26.
    l2_share: int = 2
    strip_min_rows: int = 256
    near_tasks: int = 4

    # Convolutions of one tap: a product of tiles with its loads, splitting an element of the pixels, and a tile
    # of results. Shorter convolutions are quicker on one thread, too (MobileNet-V2's of 14×14
    # pixels 0.71 to 0.84 of the time), but on two they, and the layers behind them, which find their inputs in
    # the other core's cache, took 1.05 to 1.4.
    conv_product_cycles: float = 20.0
    conv_pixel_cycles: float = 0.5
    conv_result_cycles: float = 60.0
    conv_worth: float = 0.9
    conv_min_operations: int = 30_000_000
    # Blocks of pixels for which it is worth to split weights first, and the part of L2 that all these weights fill at most.
    conv_min_blocks: int = 6
    conv_l2_share: int = 2

    # int8: a product of tiles with its loads; and the surcharge for a tile of results against sums in vectors, since
    # it is stored and read again. 16 channels of 112×112 pixels took 143 µs in tiles and 112 in vectors, 24 channels
    # 56 and 51, 32 channels 27 and 30. And how many vectors a cycle a register block reaches, of two.
    int8_product_cycles: float = 18.0
    int8_result_cycles: float = 40.0
    int8_vectors_per_cycle: float = 1.86
    # The product of two tiles; the load of one, by how many bytes of the 48 KB of L1 are in use, and from L2.
    # Half of the loads are hidden. Of ResNet-18's layers 3×3 with 512 channels at 7×7 took 107 µs as 64x1 and
    # 120 as 32x2, with 64 channels at 56×56 76 and 71; every other pixel of 256 channels, seven in a row, 83 as
    # 7x1, 103 as 7x2.
    product_cycles: int = 16
    # Of a block; fewer read weights for too little.
    min_rows: int = 4
    load_cycles: tuple[tuple[int, int], ...] = ((32 << 10, 8), (48 << 10, 14))
    load_far_cycles: int = 24


class RegisterBlock(metaclass=Frozen):
    """What a step of a sum in a block of registers takes. Held against the times of tiles before 2026-11-21, command not kept."""

    # From one multiply-add into a sum to the next, and sums that two of them a cycle keep under way. A result has at most so many
    # of them.
    latency_cycles: float = 4.0
    independent_sums: int = 8
    max_sums_each: int = 8
    # Of a load, two a cycle at most, less as some miss.
    load_cycles: float = 0.65
    # Of the loop itself, and of a vector of weights that come from L2. Large tiles pay it seldom.
    step_cycles: float = 0.5
    vector_cycles: float = 0.25


class DotProducts(metaclass=Frozen):
    """What a step of a sum of products of 8-bit values takes."""

    # From one dot product into a sum to the next, and of a step besides its dot products. Before 2026-11-21, command not kept.
    latency_cycles: float = 5.0
    step_cycles: float = 1.0
    # Multiplications, additions and widenings of 16-bit pairs in a cycle, and loads. Zen 3, 2026-11-22.
    pairs_per_cycle: float = 3.5
    pair_loads_per_cycle: float = 1.6
    # Column vectors of a tile: with many registers as many as keep the units for dot products busy with one row. Before
    # 2026-11-21, command not kept.
    max_vectors: int = 6
    many_registers_max_vectors: int = 8
    # In a row, of signed values that are copied as unsigned ones: a step for two column vectors took twice as long where each was
    # moved by itself. Ice Lake by llvm-mca, 2026-11-23.
    copy_min_values: int = 32


class TransposedStore(metaclass=Frozen):
    """When results are transposed in registers while they are stored. `benchmarks/layers.py`, Zen 4, before 2026-11-23."""

    # Of a result that is no whole squares, and of a square: small squares take as long as a copy of the result.
    min_rows: int = 20
    min_square: int = 8
    # A result that no cache holds is written in as many places at once as a panel has columns, each of them as long as a row.
    near_max_bytes: int = 2 << 20
    far_min_rows: int = 256
    # That are written side by side, and must not compete for the same lines of a cache.
    max_columns: int = 32
    # Of a row of a square: its load and its store, and each of its rounds of shuffles. Of a row that is in no square, and of each
    # of its elements.
    square_row_cycles: float = 2.0
    shuffle_cycles: float = 1.0
    row_cycles: float = 1.0
    element_cycles: float = 1.0


class Grid(metaclass=Frozen):
    """How GPUs like work cut into groups of items. Before 2026-11-21, on which device and by which command nobody wrote down."""

    # Items of a group, and of a smaller one where so few large ones would leave most of a device without a group.
    items: int = 256
    few_items: int = 64
    few_groups: int = 256
    # Of a CPU, where a group goes to one thread: few large items are shared out best one by one, and many small ones cost six
    # times as much as in groups. PoCL, 2026-11-21.
    cpu_many_items: int = 4096
    cpu_items: int = 16
    # Elements from which on a group folds a row, and from which on it has all items; results from which on a device is busy with
    # an item for each.
    row_min_elements: int = 64
    long_row_min_elements: int = 1024
    busy_min_results: int = 16384
    # Of a row that is kept in shared memory, and of one on the stack of an item, of which a device has thousands.
    row_max_bytes: int = 16384
    item_row_max_bytes: int = 1024
    # Columns that a group folds, and parts of each of them.
    columns: int = 32
    column_slices: int = 8
    # Products of a few rows: how many, items of a group, and its columns where items follow the depth, or the columns.
    few_rows_max: int = 4
    few_rows_items: int = 256
    few_rows_along_columns: int = 8
    few_rows_across_columns: int = 32
    # Of other products, as on an NVIDIA multiprocessor: groups that run at a time, fewer leave it idle; items that go together,
    # multiply-adds of each in a cycle, elements of all that one load brings; cycles in which items wait for one another.
    groups_at_once: int = 128
    items_together: int = 32
    fmas_per_cycle: int = 4
    loads_together: int = 4
    wait_cycles: int = 64
    # Convolutions: channels from which on taps are loops of their own, and not part of one long sum; pixels of an item.
    taps_min_channels: int = 16
    depthwise_pixels: int = 4


class Rows(metaclass=Frozen):
    """How rows are folded and normalised: reductions, softmax and layer norm."""

    # Of a row that is kept on the stack between the passes. Before 2026-11-21, command not kept.
    stack_max_bytes: int = 8192
    # Of a row that is done together with others, of 1024 bytes that gained nothing: four rows of 128 took 0.82 of the time with
    # quantized values around them, 0.94 without. Zen 5, 2026-11-23.
    together_max_bytes: int = 512
    # Vectors of exponentials side by side, with 32 registers; two of 16 took 1.15 times as long as one. Zen 3, before 2026-11-23.
    exponentials: int = 4
    # Rows side by side in memory. Before 2026-11-27, command not kept.
    columns_min_rows: int = 4
    # Of inner dimensions of a sum, for which a sum of their own does not pay. Before 2026-11-27, command not kept.
    few_elements: int = 16
    # Of a vector: with so many lanes, half of them compare a short row with itself sooner. Zen 4, before 2026-11-23.
    argmax_many_lanes: int = 16
    # Of the least and the largest element of a tensor. Before 2026-11-21, command not kept.
    range_max_tasks: int = 16
    range_task_elements: int = 4096
    # Partial results of a fold, so that one need not wait for another. Before 2026-11-21, command not kept.
    parts: int = 4
    # Vectors of a function such as exp, which is a long chain of operations: 1.7 times as fast as one on a Zen 5, which
    # sees hardly more than the chains of two vectors. With 16 registers too, though some values go through memory: three
    # functions took 0.74 of the time of two vectors on a Zen 3. Before 2026-11-23, command not kept.
    function_vectors: int = 4


class Pooling(metaclass=Frozen):
    """How windows are pooled by rows. Zen 4, before 2026-11-23, command not kept."""

    # Elements from one lane to the next: farther apart they are read one by one.
    shuffled_max_step: int = 4
    # Vectors of the input that are folded side by side, and of columns that are summed so. Rows that are folded before the first
    # is read: a processor waits where it reads across what it has just written.
    vectors: int = 4
    max_rows: int = 8


class Sampling(metaclass=Frozen):
    """How images are sampled, and regions of them. Before 2026-11-21, command not kept."""

    # Of samples that are made together.
    vectors: int = 4
    # That regions are shared out in, and sums of a region that do not wait for each other.
    region_tasks: int = 32
    region_sums: int = 8


class TopK(metaclass=Frozen):
    """How the largest elements are found. Zen 3 and Zen 5, before 2026-11-22, command not kept."""

    # Vectors of a list of keys, and elements of one with places: more are selected sooner. On a Zen 5 a key that comes in costs
    # about 70 cycles in a list, whatever its length, because what it moves on was stored just before. So few stay in registers.
    list_max_vectors: int = 4
    list_max_places: int = 20
    list_registers: int = 16
    # Vectors that are passed over together where nothing is large enough, and blocks of such for which that pays.
    scanned_vectors: int = 4
    scanned_min_blocks: int = 16
    # Numbers that are looked at together; how many are put aside, in proportion to those asked for; vectors of counts.
    block: int = 32
    room: int = 4
    min_room: int = 256
    parts: int = 4
    # Of numbers that are sorted by counting, for each, how many are larger.
    run_vectors: int = 8
    min_run: int = 16


class Trees(metaclass=Frozen):
    """How trees of decisions are walked. Before 2026-11-27, command not kept."""

    # Trees side by side: 8 take a tenth more, 16 as long. Zen 3.
    walks: int = 12
    # Steps before it is asked whether all walks are at their ends.
    steps: int = 3
    # Rows that a task takes through some trees before it goes on to the next ones, and steps of a task: some microseconds.
    max_rows: int = 64
    task_steps: int = 4096


class Prefetch(metaclass=Frozen):
    """When weights are prefetched that are read once, each a moment later."""

    # With more rows the processor's own prefetching has enough time. From a cache that
    # cores share weights came with 125 GB/s, without prefetches with 104; from a core's own caches, or from
    # memory, they took 1.1 to 1.2 times as long. A distance of 1 to 6 KB does equally well.
    # The machine was not recorded, 2026-11-21.
    stream_max_rows: int = 4
    stream_bytes: int = 4096
    # Steps of a sum, written out, that prefetch together, and lines for each that is needed. A core has few line fill buffers, 16
    # on Intel: a line that is prefetched twice takes the buffer of another line. Before 2026-11-21, command not kept.
    max_steps: int = 8
    max_excess: float = 1.1


class Matmul(metaclass=Frozen):
    """How a matrix product goes by panels. The machine was not recorded, unless a number says it."""

    # The fewest rows of a task, where a target says how many cores there are. 16 cores of an Emerald Rapids, 2026-11-26.
    task_min_rows: int = 8
    # With few rows, columns are shared out where the weights have at least so many bytes, and a block of at least
    # so many vectors is halved for that: blocks as wide as registers allow left one panel, for one thread. 2026-11-21.
    shared_min_bytes: int = 128 * 1024
    wide_vectors: int = 6
    # A left operand is copied into the order in which it is read if there are at least so many columns to use it for. 2026-11-21.
    copy_min_columns: int = 64
    # A right operand that is not constant is copied into panels if it has at least so many bytes, if at least so many
    # blocks of rows read it, and if all panels of a batch fill at most so many L2 caches. Products of 512×512 took
    # 1.5 times as long without. Zen 3, 2026-11-22.
    panels_min_bytes: int = 32 * 1024
    panels_min_blocks: int = 10
    panels_max_caches: int = 8
    # Steps of a sum between two prefetches for the next panel. 2026-11-21.
    prefetch_steps: int = 4
    # For a single row, weights of so many bytes or more are prefetched whole. 2026-11-23.
    row_prefetch_min_bytes: int = 16 * 1024
    # With so few rows, columns that lie one behind the other are not packed. Before 2026-11-21, command not kept.
    columns_max_rows: int = 2
    # int8. With fewer rows, reading weights takes longer than computing with four values of each row, which are not copied then.
    # Rows of a task for one panel, and where there are panels for all threads anyway: weights from memory should be read once.
    # Before 2026-11-23, command not kept.
    int8_copy_min_rows: int = 4
    int8_task_max_rows: int = 96
    int8_panels_max_rows: int = 192


class WeightOnly(metaclass=Frozen):
    """Weight-only quantisation: weights of 2, 4 and 8 bits. 4096×4096 in blocks of 32 on a Zen 3, before 2026-11-22."""

    # With more rows widening the weights costs less than their conversion in each tile of rows.
    in_registers_max_rows: int = 4
    # Column vectors that are summed side by side.
    max_vectors: int = 4
    # Rows of a task, and widened weights on its stack. Panels that a task does side by side: rows come from a shared cache once
    # for all of them.
    task_max_rows: int = 128
    widened_max_bytes: int = 8 * 1024
    panels_together: int = 2


class Attention(metaclass=Frozen):
    """When attention is one kernel, and how it goes. Before 2026-11-21, command not kept."""

    # Fewer rows have few scores, and other kernels compute them faster.
    min_rows: int = 4
    # The scores of a block of rows are on the stack up to this size, otherwise in a workspace of the task.
    scores_max_bytes: int = 8192
    # Tiles of rows of a task: fewer would read all keys and values too often. For equal shares of many cores half as many do.
    min_tiles: int = 4
    cores_min_tiles: int = 2


class Pairwise(metaclass=Frozen):
    """When products of matrices go by pairwise inner products (Winograd 1968). Measured on a Zen 4, 2026-11-26."""

    # Copying a row, each of its vectors, and each of its runs; a step of a sum, and its result.
    row_cycles: float = 12.0
    vector_cycles: float = 6.0
    run_cycles: float = 8.0
    step_cycles: float = 1.03
    result_cycles: float = 3.5
    # The fixed cost of a register block, in rows.
    block_rows: float = 0.5
    # The surcharge for a weight that comes from memory: fewer multiply-adds than by definition hide less of that.
    # With few rows qwen3 and gemma had lost a quarter.
    far_cycles: float = 0.4
    # The time of half a vector, as a part of a whole one's: it has as many loads.
    half_vector: float = 0.87
    # Of the cycles by definition, and of those that may be offered to who measures.
    worth: float = 0.98
    try_worth: float = 1.2
    # With fewer rows each multiply-add would wait for the one before. Rows of a register block, if there are as many. Panels
    # whose results go through a function together.
    min_rows: int = 5
    min_depth: int = 12
    min_block_rows: int = 7
    max_rows: int = 12
    late_panels: int = 4
    # Weights that may be read again for each block of rows, and for how many blocks; the part of L2 for copied rows.
    reread_max_bytes: int = 512 * 1024
    reread_min_blocks: int = 4
    copied_share: float = 0.55


class Strassen(metaclass=Frozen):
    """When matrix products go by Strassen's algorithm. With AVX2 and with AVX-512 on one processor, 2026-11-22."""

    # Of the cycles of the definition, and of those that may be offered to who measures.
    worth: float = 0.965
    try_worth: float = 1.05
    # That work in memory of their own.
    max_tasks: int = 8
    # The left operand may fill so many L2 caches: its sums take as much again. With 12.6 MB they took 1.11 times as long.
    left_max_caches: int = 8
    # Blocks of rows that a task goes through before the next product; what a block takes besides multiply-adds.
    task_blocks: int = 8
    block_cycles: int = 30
    # All sums of a vector of the left operand and of the result; those of a vector of the weights, for each task
    # that does them: with 16 to 128 rows, interleaved with multiply-adds.
    sum_cycles: int = 4
    weight_sum_cycles: float = 1.5


class Recurrent(metaclass=Frozen):
    """How steps of recurrent networks read their weights. The machine was not recorded, unless a number says it."""

    # Sequences that take longer to compute than their weights to read from L2, and that a block has. 2026-11-21.
    compute_bound_rows: int = 4
    max_rows: int = 6
    # 8 bits: of sums of all gates that stay on the stack until the gates go through their functions together. Before 2026-11-27,
    # command not kept.
    sums_max_bytes: int = 8 * 1024
    # Each step is shared out where the weights of the state have at least so many bytes: reading them takes longer
    # than a barrier of the threads. An LSTM 32×512 took 851 µs on two threads, 1566 without. The same where a batch
    # gives nothing else to share out, and for a group of tiles that is handed over. 2026-11-21.
    shared_min_bytes: int = 512 * 1024
    alone_shared_min_bytes: int = 128 * 1024
    group_min_bytes: int = 128 * 1024
    # Steps read weights up to this size in alternating directions, first the part that is still in L1.
    alternating_max_bytes: int = 512 * 1024
    # A state up to this size is prefetched whole: steps of larger ones take so long that it makes no difference.
    prefetch_max_bytes: int = 2048
    # Weights of a tile up to this size: enough of them stay in L1 until the tile is next again. 2026-11-21.
    tile_max_bytes: int = 32 * 1024
    # Steps that read one of two copies of the weights before the other is read. Three of four begin with what
    # the step before left in L1; with eight, reading is as slow as with one copy. Zen 5, 2026-11-21.
    copy_steps: int = 4


class Homes(metaclass=Frozen):
    """L2 caches that weights fill which stay with a core for the most part, with each of two that read one half, and in a cache
    that cores share. Before 2026-11-21, command not kept.
    """

    core_caches: float = 4 / 3
    split_caches: float = 8 / 3
    shared_caches: int = 16


class Bands(metaclass=Frozen):
    """When large feature maps go by bands of rows (`plan/layout/bands.py`). Granite Rapids, 2026-11-23."""

    # Processors with so large an L2 have a slow L3: a core of a Granite Rapids reads 185 GB/s from L2 and 31 from L3,
    # and MobileNet-V2 takes 0.85 of the time in bands. Processors with a smaller L2 were not measured.
    min_l2_bytes: int = 2 << 20
    # For each byte that need not leave L2 and come back, so many operations may be done twice; a core could do 7 in
    # the time of one byte.
    operations_per_byte: int = 2


class Tuning(metaclass=Frozen):
    """All that was measured, grouped by who reads it. The defaults count for a CPU without a record."""

    threads: Threads = Threads()
    costs: LoopCosts = LoopCosts()
    register_block: RegisterBlock = RegisterBlock()
    dots: DotProducts = DotProducts()
    transposed_store: TransposedStore = TransposedStore()
    grid: Grid = Grid()
    rows: Rows = Rows()
    trees: Trees = Trees()
    winograd: Winograd = Winograd()
    amx: Amx = Amx()
    prefetch: Prefetch = Prefetch()
    matmul: Matmul = Matmul()
    weight_only: WeightOnly = WeightOnly()
    attention: Attention = Attention()
    pairwise: Pairwise = Pairwise()
    strassen: Strassen = Strassen()
    recurrent: Recurrent = Recurrent()
    conv: Conv = Conv()
    depthwise: Depthwise = Depthwise()
    conv_int8: ConvInt8 = ConvInt8()
    topk: TopK = TopK()
    pooling: Pooling = Pooling()
    sampling: Sampling = Sampling()
    homes: Homes = Homes()
    bands: Bands = Bands()
    # Half vectors, which take twice as many instructions, must need at most this part of the time. Zen 4, 2026-11-23.
    half_vectors_worth: float = 0.95
    # Elements in a row that share what is read by a quotient of their index: fewer do not fill vectors. Before
    # 2026-11-26, command not kept.
    divided_min_extent: int = 16
    # Lanes that look up a table of bytes in registers: fewer are quicker read one by one. Before 2026-11-27, command not kept.
    lookup_min_lanes: int = 8
    # One core's part of the last-level cache, in L2 caches. Assumed, not measured.
    l3_caches: int = 16


DEFAULT = Tuning()
"""For what is decided before a machine is known: definitions, and operands that they make."""
