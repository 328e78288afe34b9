"""What was measured of convolutions: the part of `Tuning` that kernels of `kernels/conv` ask for (`machines/tuning.py`)."""

from __future__ import annotations

from ingot.base.records import Frozen


class Winograd(metaclass=Frozen):
    """When Winograd's algorithm pays, and in what order it goes through tiles and panels of weights.

    Measured on layers of 3×3 of ResNet-18, ResNet-50 and MLPerf Tiny's ResNet, mostly on a Granite Rapids.
    """

    # The part of two FMAs a cycle that the definition reaches, and the part of its time that must not be exceeded. 2026-11-21.
    direct_efficiency: float = 0.9
    worth: float = 0.9
    # Of the estimate of the best, and of int8 by the definition: what is slower is not offered to who measures. 2026-11-21.
    try_worth: float = 2.5
    int8_try_worth: float = 2.0
    # Of input and output, unless it is 3×3: with fewer, a transform serves few products. Before 2026-11-26, command not kept.
    min_channels: int = 16
    # Of a tile of one vector, where 512-bit units are double-pumped. Zen 4, 2026-11-23.
    vector_min_rows: int = 4
    vector_max_rows: int = 14
    # Transforms: of a vector of weights, without reading and writing it; of a vector of inputs or results, for
    # each matrix. And the rate at which weights come from memory while nothing else is done. 2026-11-21.
    weight_transform_cycles: int = 14
    transform_cycles: int = 3
    memory_bytes_per_cycle: int = 8
    # Up to so many tiles are transformed at once, and panels of weights one after another. 2026-11-21.
    few_tiles: int = 64
    # Groups of tiles that go through one panel of weights together, and ranges of such groups for threads. 2026-11-26.
    together_max: int = 4
    together_ranges: int = 8
    # A plan that only one thread can do must be quicker by this factor. 2026-11-21.
    unshared_penalty: float = 1.2
    # The same for five taps and few tiles: 48 channels to 128 of 7×7 took 0.97 of the definition's time on one thread
    # of a Zen 4, on two 1.3. 2026-11-26.
    five_taps_penalty: float = 1.4
    # The least products of a block that is given to another thread. 2026-11-21.
    shared_cycles: int = 4_500
    # A row of transformed weights that stays in L1 until it is used: layers of 64 to 256 channels of 14×14
    # and 28×28 took 0.85 to 0.95 of the time. Granite Rapids, 2026-11-23.
    row_bytes: int = 24 * 1024
    # Of copies by F(4×4), which take as much memory as those by F(2×2) for a quarter of the transforms. MLPerf
    # Tiny's ResNet took 95 µs while its 32 channels came before its 64, 90 since they leave room for them; two
    # threads 82 and 80. Granite Rapids, 2026-11-23.
    large_copy_max_bytes: int = 64 * 1024
    # All transformed weights, where each thread transforms them for itself. 16 cores of an Emerald Rapids,
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
    # The transforms of a vector of inputs, results and weights. 2026-11-21.
    int8_input_cycles: int = 110
    int8_result_cycles: int = 130
    int8_weight_cycles: int = 170


class Conv(metaclass=Frozen):
    """How direct convolution reads its input and weights. 2026-11-23; a number says on which machine, where that is known."""

    # An input is copied with channels last if it has at least so many channels (fewer planes stay in the cache), and
    # at least so many products for each element, or for each half float.
    copy_min_channels: int = 64
    copy_min_uses: int = 128
    copy_min_uses_half: int = 32
    # The same for a pointwise convolution where vectors are as long as a cache line: a block reads one or two lines of
    # a plane. Zen 5 took 0.89 to 0.98 of the time in place with 128 to 512 products of each, as long with 1024.
    copy_min_uses_pointwise: int = 1024
    # Weights that are read for each row of outputs, at first without a prefetch, may have so many bytes. For 14×14
    # images weights of 1 MB took a sixth of the time to come from L3, and none as panels that are prefetched. Granite Rapids.
    row_weights_max_bytes: int = 512 * 1024
    # Sums of fewer steps are not prefetched for: it would cost too large a part of them.
    prefetch_min_steps: int = 32
    # An input of so few channels is taken for that of the model. It comes from memory, in short rows whose beginnings
    # a processor's own prefetching finds too late.
    prefetch_max_channels: int = 4
    # Lines that a block prefetches, one by one: patches of 16×16 would need hundreds, and take 1.04 times as long.
    prefetch_max_lines: int = 64
    # Output channels of a convolution whose vectors are of input channels, vectors of products of each sum (fewer are soon added,
    # but not soon summed up), and rows of a tile. Before 2026-11-22, command not kept.
    input_channels_max_outputs: int = 4
    input_channels_min_vectors: int = 8
    input_channels_max_rows: int = 12
    # Tasks of one row each: fewer divide badly among threads, of three threads some have three rows, some two.
    row_min_tasks: int = 8
    # Of an input or a result of the model that is copied with channels last: with fewer, kernels gain little. Before 2026-11-21,
    # command not kept.
    arrange_min_channels: int = 16


class Depthwise(metaclass=Frozen):
    """How depthwise convolution goes through channels and rows. MobileNet-V2 on a Zen 3, 2026-11-22."""

    # Vectors of channels in one task: their lines of a few rows stay in L1. Layers took 0.78 of the time with one vector.
    max_vectors: int = 12
    # Lines of channels that go down a feature map together, and what one row or band of outputs reads, which the next one is to
    # find in L1. Before 2026-11-23, command not kept.
    max_lines: int = 4
    rows_max_bytes: int = 16 * 1024
    # int8: shorter rows use their weights for so few outputs that more int8x4 are better than more weights from behind L1, from
    # so many weights on. Before 2026-11-23, command not kept.
    int8_long_row: int = 28
    int8_weights_max_bytes: int = 16 * 1024
    # With long strides most of an int8x4 is in vain. Before 2026-11-21, command not kept.
    int8_max_stride: int = 2


class ConvInt8(metaclass=Frozen):
    """How convolution of 8-bit values shares out its work and copies its input. Before 2026-11-23, command not kept."""

    # Of weights that stay in L1 while pixels pass: half of a small one. Tasks of a pointwise convolution that pay then.
    weights_max_bytes: int = 16 * 1024
    pointwise_min_tasks: int = 4
    # Tiles of a task, of an input that is one row.
    task_tiles: int = 8
    # Fewer channels are copied one by one: a vector of them is shorter than what it costs to begin one. Of a row that is computed
    # in vectors before it is put in order, and values that one task copies of an input that is one row.
    vectors_min_channels: int = 8
    line_max_bytes: int = 8192
    copy_values: int = 4096
    # AMX: shares of the blocks of an image, so often are weights read, and values of pixels that a task copies for itself.
    # Granite Rapids, 2026-11-23.
    amx_shares: tuple[int, ...] = (12, 8, 4)
    amx_own_max_values: int = 8192
