import random

import pytest

from ingot.graph.regions.merge import merged_regions


def _reached(reads, starts, inside):
    """All nodes that can be reached from `starts` towards readers, and whether by way of a node outside of `inside`."""
    readers = [[] for _ in reads]
    for node, sources in enumerate(reads):
        for source in sources:
            readers[source].append(node)
    left = [reader for start in starts for reader in readers[start] if reader not in inside]
    reached = set(left)
    while left:
        for reader in readers[left.pop()]:
            if reader not in reached:
                reached.add(reader)
                left.append(reader)
    return reached


def is_convex(reads, region):
    """Whether no path leaves the region and comes back."""
    return not _reached(reads, region, set(region)) & set(region)


def in_order(reads, regions):
    """Whether regions, each computed as one, have an order."""
    of = {node: ("region", number) for number, region in enumerate(regions) for node in region}
    edges = {
        (of.get(source, source), of.get(node, node)) for node, some in enumerate(reads) for source in some
    }
    left = {end for edge in edges for end in edge}
    edges = {edge for edge in edges if edge[0] != edge[1]}
    while left:
        free = {node for node in left if not any(reader == node for _, reader in edges)}
        if not free:
            return False
        left -= free
        edges = {edge for edge in edges if edge[0] not in free}
    return True


def test_a_chain_is_one_region():
    assert merged_regions([[], [0], [1]], [{0}, {1}, {2}]) == [[0, 1, 2]]


def test_nodes_stay_apart_where_nothing_merges():
    assert merged_regions([[], [0], [1]], [{0, 1}, {2}], merges=False) == [[0, 1], [2]]


def test_nodes_that_do_not_read_one_another_are_no_region():
    assert merged_regions([[], []], [{0}, {1}]) == [[0], [1]]


def test_a_node_outside_comes_between_two_regions():
    #   0 → 1 (outside) → 3, and 0 → 2 → 3
    reads = [[], [0], [0], [1, 2]]
    assert merged_regions(reads, [{0}, {2}, {3}]) == [[0, 2], [3]]


def test_two_regions_that_would_wait_for_each_other_are_not_made():
    # Regions of two chains that cross: 0 → 1(outside) → 3, and 2 → 4(outside) → 5; 0 and 5 are read by 6, 2 and 3 by 7.
    reads = [[], [0], [], [1], [2], [4], [0, 5], [2, 3]]
    regions = merged_regions(reads, [{0}, {2}, {3}, {5}, {6}, {7}])
    assert in_order(reads, regions)
    assert all(is_convex(reads, region) for region in regions)


@pytest.mark.parametrize("seed", range(60))
def test_regions_are_convex_have_an_order_and_no_two_of_them_could_be_one(seed):
    chance = random.Random(seed)
    count = chance.randint(2, 14)
    reads = [sorted(chance.sample(range(node), min(node, chance.randint(0, 3)))) for node in range(count)]
    atoms = [{node} for node in range(count) if chance.random() < 0.7]
    regions = merged_regions(reads, atoms)
    assert sorted(node for region in regions for node in region) == sorted(
        node for atom in atoms for node in atom
    )
    assert in_order(reads, regions)
    assert all(is_convex(reads, region) for region in regions)
    for number, first in enumerate(regions):
        for second in regions[number + 1 :]:
            others = [region for region in regions if region not in (first, second)]
            is_read = any(source in first for node in second for source in reads[node]) or any(
                source in second for node in first for source in reads[node]
            )
            joined = [*others, [*first, *second]]
            assert not (is_read and in_order(reads, joined)), f"{first} and {second} could be one region"


def test_a_long_model_is_merged_in_time():
    reads = [[node - 1] if node else [] for node in range(3000)]
    assert merged_regions(reads, [{node} for node in range(3000) if node % 10]) == [
        list(range(start + 1, start + 10)) for start in range(0, 3000, 10)
    ]
