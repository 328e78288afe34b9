"""How many tasks a kernel is cut into, so that threads have equal shares."""

from __future__ import annotations

from ingot.machines.machine import Machine


def blocks_of_tasks(tasks: int, blocks_max: int, machine: Machine) -> int:
    """The number of blocks, at most `blocks_max`, into which each of `tasks` tasks is cut: the fewest that give all cores nearly
    equal shares, or else the number that comes closest.
    """
    cores, tasks = machine.cores, max(1, tasks)
    if not cores:
        return max(1, min(-(-machine.tuning.threads.tasks // tasks), blocks_max))
    counts = range(1, max(1, blocks_max) + 1)
    return next(
        (count for count in counts if used(tasks * count, cores) >= machine.tuning.threads.even_share),
        max(counts, key=lambda count: used(tasks * count, cores)),
    )


def rows_of_task(rows: int, tile_rows: int, tasks: int, blocks_max: int, machine: Machine) -> int:
    """How many rows each of `tasks` tasks has: whole tiles, or exactly the rows that give all cores equal shares."""
    each = -(-rows // blocks_of_tasks(tasks, blocks_max, machine))
    return each if machine.cores else -(-each // tile_rows) * tile_rows


def used(tasks: int, cores: int) -> float:
    """How much of the cores' time equal tasks use, until all are done."""
    return tasks / (-(-tasks // cores) * cores)
