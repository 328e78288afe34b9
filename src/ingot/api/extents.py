"""What `dims` of a build says of a model's extents: numbers, sizes, and which are the same as others or sums of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.api.compared_sizes import smallest_size
from ingot.api.rooms import Longer, Places
from ingot.base.dims import Dim, dim_of
from ingot.base.errors import ModelError, why_not_by_name
from ingot.graph.read.source import ReadModel

# What a leading extent that nobody mentions is taken for.
DEFAULT = Dim(1, 64)


@dataclass(frozen=True, slots=True)
class Sum:
    """An extent that has as many places as others that vary have together, and so many more."""

    terms: tuple[str, ...]
    plus: int = 0

    def __str__(self) -> str:
        return " + ".join((*self.terms, *([str(self.plus)] if self.plus else [])))


@dataclass(frozen=True, slots=True)
class Extents:
    """What `dims` says: numbers for some extents, and others that vary. `same` are those that are the same as one of these,
    `sums` those that are a sum of some that vary and of numbers, and `taken` those of which it says nothing.
    """

    fixed: Mapping[str, int] = field(default_factory=dict)
    varying: Mapping[str, Dim] = field(default_factory=dict)
    taken: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, Sum] = field(default_factory=dict)

    @property
    def smallest(self) -> dict[str, int]:
        """A number for each extent: those that vary get the least that a program is for."""
        return self.bound([smallest_size(dim) for dim in self.varying.values()])

    def bound(self, sizes: Sequence[int]) -> dict[str, int]:
        """A number for each extent, with these for those that vary."""
        numbers = {**self.fixed, **dict(zip(self.varying, sizes, strict=True))}
        numbers |= {name: numbers[other] for name, other in self.same.items()}
        return numbers | {
            name: sum(numbers[term] for term in total.terms) + total.plus for name, total in self.sums.items()
        }

    def joined(self, places: Places) -> Places:
        """Inputs and axes by extent, with those of all that are the same."""
        no_key = {*self.same, *self.sums}
        joined = {name: list(some) for name, some in places.items() if name not in no_key}
        for name, other in self.same.items():
            joined.get(other, []).extend(places.get(name, ()))
        return joined

    def longer(self, places: Places) -> Mapping[str, Sequence[Longer]]:
        """Inputs and axes with more places than an extent that varies, by that extent: a range, if the sum has one."""
        longer: dict[str, list[Longer]] = {}
        for name, total in self.sums.items():
            ranges = [term for term in total.terms if not self.varying[term].sizes]
            first = (ranges or total.terms)[0]
            others = tuple(term for term in total.terms if term != first)
            longer.setdefault(first, []).extend(
                Longer(place, axis, total.plus, others) for place, axis in places.get(name, ())
            )
        return longer

    def with_sums(self, open_: Iterable[str]) -> Extents:
        """The extents with those that are open and written as a sum of others, such as `past + 1`."""
        sums = {name: total for name in open_ if (total := self._sum(name)) is not None}
        return replace(self, sums={**self.sums, **sums}) if sums else self

    def _sum(self, text: str) -> Sum | None:
        """The extents that vary and the number that are the terms of a sum; None where it is no such sum."""
        plus, varying = 0, []
        for term in (part.strip() for part in text.split("+")):
            number = int(term) if term.isdecimal() else self.fixed.get(term)
            if number is not None:
                plus += number
            elif term in self.varying:
                varying.append(term)
            else:
                return None
        ranges = [term for term in varying if not self.varying[term].sizes]
        return (
            Sum(tuple(varying), plus)
            if varying and len(set(varying)) == len(varying) and len(ranges) < 2
            else None
        )

    def taken_words(self) -> Iterator[str]:
        """A sentence for each extent that was taken for a range, and one for those that are taken for the same as another."""
        for name in self.taken:
            if name in self.varying:
                yield f"{name} may be {self.varying[name]}; say other sizes by dims= or --dim {name}=…"
            elif name in self.fixed:
                yield f"{name} is {self.fixed[name]}; say another number by dims= or --dim {name}=…"
            elif name in self.sums:
                yield f"{name} is {self.sums[name]}: with fewer places the model contradicts itself"
        same = [name for name in self.taken if name in self.same]
        if same:
            yield f"{', '.join(same)} must be the same as {self.same[same[0]]}: with other sizes the model contradicts itself"


def extents_of(dims: Mapping[str, object] | None) -> Extents:
    """What a caller gives as `dims`, taken apart.

    Raises:
        ModelError: one is no number, list or range of sizes.
    """
    why = "" if dims is None else why_not_by_name(dims)
    if why:
        raise ModelError(
            f"dims={dims!r:.80}: expected a mapping from names to numbers or sizes, such as {{'batch': 1}}, {why}"
        )
    same = {name: given for name, given in (dims or {}).items() if isinstance(given, str)}
    read = {name: dim_of(name, given) for name, given in (dims or {}).items() if name not in same}
    extents = Extents(
        {name: read_dim for name, read_dim in read.items() if isinstance(read_dim, int)},
        {name: read_dim for name, read_dim in read.items() if isinstance(read_dim, Dim)},
    )
    sums = {
        name: total for name, other in same.items() if other not in read and (total := extents._sum(other))
    }
    same = {name: other for name, other in same.items() if name not in sums}
    for name, other in same.items():
        if other not in read:
            raise ModelError(
                f"dims={{{name!r}: {other!r:.80}}}: a text is the name of another extent, of which dims says numbers, or "
                "a sum of numbers and of some that vary, one of them with a range: "
                f"{', '.join(map(repr, read)) or 'it says none'}",
                dim=name,
            )
    return replace(extents, same=same, sums=sums)


def with_defaults(
    extents: Extents,
    read: Callable[[Extents], ReadModel],
    trial: Callable[[Extents], object],
    decoder: Callable[[Extents, Places], Extents | None],
) -> tuple[ReadModel, Extents]:
    """Reads a model; where it leaves only leading extents open, these become ranges.

    Args:
        extents: what `dims` says.
        read: reads the model for the smallest sizes.
        trial: the same, and nothing that it tells counts.
        decoder: gives those that the model leaves open, by inputs and axes, if it is a decoder whose caches grow.

    Returns:
        What `read` gives, and the extents with which it did.
    """
    try:
        return read(extents), extents
    except ModelError as error:
        has_lists = any(dim.sizes for dim in extents.varying.values())
        is_asked = has_lists or any("+" not in name for name in _open(error))
        more = decoder(extents, _places(error)) if is_asked and _open(error) else None
        summed = extents.with_sums(_open(error))
        if more is None and summed is not extents:
            return with_defaults(summed, read, trial, decoder)
        open_ = _leading(error)
        if more is None and not open_:
            raise
        more = more or _ranges(extents, open_, trial)
        try:
            return read(more), more
        except ModelError:
            raise error from None


def _ranges(extents: Extents, open_: Sequence[str], trial: Callable[[Extents], object]) -> Extents:
    """The extents with ranges for those that are open. Those of several inputs that have no name are one extent, if the model
    contradicts itself where they have different sizes: so it is with columns, as exports of scikit-learn have them.
    """
    unnamed = [name for name in open_ if name.endswith(":0")]
    given = [name for name in (*extents.fixed, *extents.varying) if name.endswith(":0")]
    same: dict[str, str] = {}
    if len(given) + len(unnamed) > 1:
        sizes = {name: size for size, name in enumerate(unnamed, 2)}
        others = {name: DEFAULT for name in open_ if name not in sizes}
        try:
            trial(Extents({**extents.fixed, **sizes}, {**extents.varying, **others}, same=extents.same))
        except ModelError:
            first, *rest = *given[:1], *unnamed
            same = dict.fromkeys((name for name in rest if name in sizes), first)
    varying = {**extents.varying, **{name: DEFAULT for name in open_ if name not in same}}
    return replace(extents, varying=varying, taken=tuple(open_), same={**extents.same, **same})


def _open(error: ModelError) -> Iterable[str]:
    """The extents that a model leaves open."""
    return tuple(_places(error))


def _places(error: ModelError) -> Places:
    """The inputs and axes of those."""
    places: Places = error.facts.get("places") or {}  # type: ignore[assignment]
    return places


def _leading(error: ModelError) -> Sequence[str]:
    """The extents that a model leaves open, if each of them is the first one of its inputs and of no others."""
    places = _places(error)
    leading = all(axis == 0 for some in places.values() for _, axis in some)
    return tuple(places) if leading else ()
