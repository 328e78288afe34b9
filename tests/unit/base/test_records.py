"""`Frozen` classes behave as frozen dataclasses do, and cost less to define."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import time

import pytest

from ingot.base.records import Frozen


class Point(metaclass=Frozen):
    """A place with a name."""

    x: int
    y: int = 2
    name: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


class Positive(metaclass=Frozen):
    number: int

    def __post_init__(self):
        if self.number < 0:
            raise ValueError("negative")

    def __repr__(self):
        return f"+{self.number}"

    def __eq__(self, other):
        return isinstance(other, Positive)

    def __hash__(self):
        return 1


def test_fields_are_given_by_position_by_name_or_by_default():
    assert (Point(1).x, Point(1).y, Point(1, name=("a",)).name, Point(1, 3).total) == (1, 2, ("a",), 4)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(z=3)  # as many as there are fields, but not these


def test_equal_fields_of_one_class_are_equal_and_hash_alike():
    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2)
    assert Point(1) != (1, 2, ())
    assert len({Point(1), Point(1), Point(2)}) == 2


@pytest.mark.parametrize("name", ["x", "other"])
def test_nothing_can_be_changed(name):
    with pytest.raises(dataclasses.FrozenInstanceError, match=name):
        setattr(Point(1), name, 3)
    with pytest.raises(dataclasses.FrozenInstanceError, match=name):
        delattr(Point(1), name)


def test_the_functions_of_dataclasses_work():
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2, "name": ()}
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y", "name"]
    match Point(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)


def test_copies_and_pickles_are_equal():
    assert copy.deepcopy(Point(1, name=("a",))) == Point(1, name=("a",))
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1)


def test_instances_have_no_dict_and_show_their_fields():
    assert not hasattr(Point(1), "__dict__")
    assert repr(Point(1, name=("a",))) == "Point(x=1, y=2, name=('a',))"


def test_what_a_class_writes_itself_stays():
    assert Positive(1) == Positive(2)
    assert repr(Positive(1)) == "+1"
    assert hash(Positive(5)) == 1
    with pytest.raises(ValueError, match="negative"):
        Positive(-1)


def test_defining_a_class_takes_less_than_half_of_what_a_dataclass_takes():
    def seconds(make):
        times = []
        for _ in range(20):
            written = {"__annotations__": dict.fromkeys("abcdef", "int"), "__doc__": ""}
            start = time.process_time()
            make("Made", (), written)
            times.append(time.process_time() - start)
        return min(times)

    decorate = dataclasses.dataclass(frozen=True, slots=True)
    assert seconds(Frozen) < 0.5 * seconds(lambda *words: decorate(type(*words)))


def test_a_class_is_an_ordinary_one_whose_subclasses_are_compared_by_their_own_class():
    class Named(Point):
        def twice(self):
            return super().total * 2

    assert type(Point) is type
    assert Named(1) == Named(1, 2) != Named(2)
    assert Named(1) != Point(1) != Named(1)
    assert Named(1).twice() == 6


def test_a_subclass_keeps_its_own_init_however_many_instances_there_are():
    class Base(metaclass=Frozen):
        x: int
        y: int = 2

    class Tenfold(Base):
        def __init__(self, x):
            super().__init__(x=10 * x)

    assert {Tenfold(1).x for _ in range(100)} == {10}
    with pytest.raises(TypeError, match=r"Base\.__init__\(\) missing 1 required positional argument: 'x'"):
        Base()
    assert Base(1) == Base(1, 2)


def test_the_functions_of_dataclasses_may_look_at_a_subclass_first():
    class Base(metaclass=Frozen):
        x: int
        y: int = 2

    class Named(Base):
        pass

    assert [field.name for field in dataclasses.fields(Named)] == ["x", "y"]
    assert dataclasses.replace(Named(1), y=5) == Named(1, 5)
    assert [field.name for field in dataclasses.fields(Base)] == ["x", "y"]


def test_fields_are_found_where_a_class_has_a_function_that_makes_its_annotations():
    made = Frozen(
        "Made",
        (),
        {"__annotate_func__": lambda form: {"x": int} if form == 1 else None, "__module__": __name__},
    )
    assert made(1).x == 1  # as the compiler of Python 3.14 leaves it


class Nothing(metaclass=Frozen):
    pass


def test_a_class_may_have_no_fields():
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert repr(Nothing()) == "Nothing()"
    assert all(Nothing() == Nothing() for _ in range(50))  # an `__init__` is written on the way


def test_the_signature_names_the_fields_before_and_after_an_init_is_written():
    class Some(metaclass=Frozen):
        x: int
        y: str = "a"

    class Below(Some):
        def __init__(self, z):
            super().__init__(z, "b")

    assert str(inspect.signature(Some)) == "(x: 'int', y: 'str' = 'a')"  # this file's annotations are texts
    assert str(inspect.signature(Below)) == "(z)"
    for _ in range(50):
        Some(1)
    assert list(inspect.signature(Some).parameters) == ["x", "y"]
    assert inspect.signature(Positive).parameters.keys() == {"number"}


def test_copy_replace_works():
    assert Point(1).__replace__(y=5) == Point(1, 5)
    if sys.version_info >= (3, 13):
        assert copy.replace(Point(1), y=5) == Point(1, 5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1).__replace__(z=5)
