"""Regular expressions: whether one matches a whole text, in time that grows with the length of both and not faster.

*Source:* the syntax of RE2, which ONNX names, without classes of Unicode properties. As there, `\\w`, `\\d`, `\\s` and `\\b`
are about ASCII, a letter of the text is a code point, and there are no references to groups and no look-around. A pattern
has at most `MAX_LETTERS` letters and becomes an automaton of at most `MAX_STATES` states; a letter of the text takes at most one
look at each of them, and a look at a class of letters takes the logarithm of its size.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from ingot.border.automaton import Automaton, State

MAX_LETTERS = 1 << 16  # of a pattern
MAX_STATES = 10_000
MAX_REPEAT = 1000
MAX_DEPTH = 50
MAX_BRACES = 32  # letters in `{…}` and `[:…:]`

Letters = Callable[[str], bool]

_DIGITS = frozenset("0123456789")
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_SPACE = frozenset("\t\n\f\r ")
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_POSIX = {
    "alnum": _LOWER | _UPPER | _DIGITS,
    "alpha": _LOWER | _UPPER,
    "ascii": frozenset(map(chr, range(128))),
    "blank": frozenset("\t "),
    "cntrl": frozenset(map(chr, (*range(32), 127))),
    "digit": _DIGITS,
    "graph": frozenset(map(chr, range(33, 127))),
    "lower": _LOWER,
    "print": frozenset(map(chr, range(32, 127))),
    "punct": _PUNCTUATION,
    "space": _SPACE | {"\v"},
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": _DIGITS | frozenset("abcdefABCDEF"),
}

# A parsed piece: ("letter", test), ("at", word), ("join", pieces), ("either", pieces), ("repeat", piece, least, most or None).
Piece = tuple[Any, ...]


def full_matcher(pattern: str) -> Callable[[str], bool]:
    """A function that says whether the pattern matches a whole text.

    Raises:
        ValueError: the pattern is no such expression, or too large; the text says what is wrong with it, and where.
    """
    return automaton(pattern).matches


def automaton(pattern: str) -> Automaton:
    """What matches the pattern, and finds it in texts.

    Raises:
        ValueError: as `full_matcher`.
    """
    if len(pattern) > MAX_LETTERS:
        raise ValueError(f"the pattern has {len(pattern)} letters, more than {MAX_LETTERS}")
    machine = _Machine()
    start = machine.compile(_Parser(pattern).parsed(), 0)
    return Automaton(machine.states, start)


class _Machine:
    """The states of a pattern; the first one is its end."""

    def __init__(self) -> None:
        self.states: list[State] = [("end",)]
        # How many pieces were compiled. Some add no state, but count all the same, since they may be repeated.
        self._pieces = 0

    def compile(self, piece: Piece, following: int) -> int:
        """The state where a piece begins; behind it comes `following`."""
        self._pieces += 1
        self._bounded(self._pieces)
        match piece:
            case ("letter", test):
                return self._add(("letter", test, following))
            case ("at", word):
                return self._add(("at", word, following))
            case ("join", pieces):
                for part in reversed(pieces):
                    following = self.compile(part, following)
                return following
            case ("either", pieces):
                branches = [self.compile(part, following) for part in pieces]
                return self._add(("split", *branches))
        _, repeated, minimum, maximum = piece
        return self._repeated(repeated, minimum, maximum, following)

    def _repeated(self, piece: Piece, minimum: int, maximum: int | None, following: int) -> int:
        if maximum is None:
            again = self._add(("split", following))
            self.states[again] = ("split", self.compile(piece, again), following)
            following = again
        else:
            end = following
            for _ in range(maximum - minimum):
                following = self._add(("split", self.compile(piece, following), end))
        for _ in range(minimum):
            following = self.compile(piece, following)
        return following

    def _add(self, state: State) -> int:
        self._bounded(len(self.states))
        self.states.append(state)
        return len(self.states) - 1

    def _bounded(self, count: int) -> None:
        if count >= MAX_STATES:
            raise ValueError(f"the pattern needs more than {MAX_STATES} states; shorten its repetitions")


class _Parser:
    """Reads a pattern from left to right. Flags are those that hold at the place that is read."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.depth = pattern, 0, 0
        self.flags: frozenset[str] = frozenset()

    def parsed(self) -> Piece:
        parsed = self._either()
        if self.at < len(self.pattern):
            self._wrong("a ')' without a '('")
        return parsed

    def _wrong(self, fault: str) -> None:
        raise ValueError(f"{fault} at character {self.at} of the pattern {self.pattern[:80]!r}")

    def _next(self, text: str) -> bool:
        """Whether that text comes next, which then is read."""
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _letter(self) -> str:
        if self.at >= len(self.pattern):
            self._wrong("the pattern ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def _either(self) -> Piece:
        branches = [self._join()]
        while self._next("|"):
            branches.append(self._join())
        return branches[0] if len(branches) == 1 else ("either", branches)

    def _join(self) -> Piece:
        pieces: list[Piece] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            if self._next("\\Q"):
                end = self.pattern.find("\\E", self.at)
                quoted = self.pattern[self.at : len(self.pattern) if end < 0 else end]
                self.at = len(self.pattern) if end < 0 else end + 2
                pieces += [self._single(letter) for letter in quoted]
                if quoted:
                    pieces.append(self._counted(pieces.pop()))  # it is the last letter that is repeated
                continue
            pieces.append(self._counted(self._atom()))
        return ("join", pieces)

    def _counted(self, piece: Piece) -> Piece:
        """The piece with what says how often it comes."""
        counted = False
        while self.at < len(self.pattern):
            bounds = self._bounds()
            if bounds is None:
                return piece
            if counted:
                self._wrong("a repetition of a repetition")
            self._next("?")  # the shortest first: to whether all is matched that is the same
            piece, counted = ("repeat", piece, *bounds), True
        return piece

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._next(sign):
                return bounds
        if self.pattern[self.at] != "{":
            return None
        end = self.pattern.find("}", self.at, self.at + MAX_BRACES)
        if end < 0:
            return None
        low_text, comma, high_text = self.pattern[self.at + 1 : end].partition(",")
        if not (
            low_text.isascii()
            and low_text.isdigit()
            and (not high_text or (high_text.isascii() and high_text.isdigit()))
        ):
            return None  # a brace that means itself
        low = int(low_text)
        high = low if not comma else int(high_text) if high_text else None
        if max(low, high or 0) > MAX_REPEAT or (high is not None and high < low):
            self._wrong(f"a repetition that is not 0 to {MAX_REPEAT} times, the lower number first,")
        self.at = end + 1
        return low, high

    def _atom(self) -> Piece:
        letter = self._letter()
        match letter:
            case "(":
                return self._group()
            case "[":
                return ("letter", self._class())
            case "\\":
                return self._escape()
            case ".":
                every = "s" in self.flags
                return ("letter", lambda letter: every or letter != "\n")
            case "^":
                return ("at", "line begin" if "m" in self.flags else "begin")
            case "$":
                return ("at", "line end" if "m" in self.flags else "end")
            case "*" | "+" | "?":
                self.at -= 1
                self._wrong("nothing that could be repeated")
        return self._single(letter)

    def _single(self, letter: str) -> Piece:
        return ("letter", self._folded(frozenset(letter).__contains__))

    def _folded(self, test: Letters) -> Letters:
        """The test, of either case under the flag i."""
        if "i" not in self.flags:
            return test
        # Where the other case is more than one letter, it is none: RE2 folds letter by letter.
        return lambda letter: (
            test(letter) or any(len(other) == 1 and test(other) for other in (letter.lower(), letter.upper()))
        )

    def _group(self) -> Piece:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._wrong(f"more than {MAX_DEPTH} groups in each other")
        outside = self.flags
        if self._next("?") and not self._next(":") and not self._named() and self._flags():
            self.depth -= 1
            return ("join", [])  # flags that hold from here on
        content = self._either()
        if not self._next(")"):
            self._wrong("a '(' without a ')'")
        self.flags = outside
        self.depth -= 1
        return content

    def _named(self) -> bool:
        for begin in ("P<", "<"):
            end = self.pattern.find(">", self.at)
            if (
                self.pattern.startswith(begin, self.at)
                and end > 0
                and self.pattern[self.at + len(begin) : end].isidentifier()
            ):
                self.at = end + 1
                return True
        return False

    def _flags(self) -> bool:
        """Reads flags; True if they are for what follows, False if for a group that begins here."""
        flags, add = set(self.flags), True
        while True:
            letter = self._letter()
            if letter in ")":
                self.flags = frozenset(flags)
                return True
            if letter == ":":
                self.flags = frozenset(flags)
                return False
            if letter == "-":
                add = False
            elif letter not in "imsU":
                self._wrong("a group or flag that RE2 does not have")
            elif add:
                flags.add(letter)
            else:
                flags.discard(letter)

    def _escape(self) -> Piece:
        letter = self._letter()
        if letter in _CLASSES or letter.lower() in _CLASSES:
            return ("letter", _of_class(letter))
        for sign, word in (("b", "word edge"), ("B", "no word edge"), ("A", "begin"), ("z", "end")):
            if letter == sign:
                return ("at", word)
        return self._single(self._escaped(letter))

    def _escaped(self, letter: str) -> str:
        """The letter that is meant by what stands behind a backslash."""
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "x":
            return self._by_number()
        if letter.isascii() and letter.isalnum():
            self._wrong(f"an escape \\{letter} that is not known here")
        return letter

    def _by_number(self) -> str:
        end = self.pattern.find("}", self.at, self.at + MAX_BRACES)
        is_long = self._next("{") and end > 0
        digits = self.pattern[self.at : end] if is_long else self.pattern[self.at : self.at + 2]
        self.at = end + 1 if is_long else self.at + 2
        if (
            not digits
            or (not is_long and len(digits) != 2)
            or not set(digits) <= _POSIX["xdigit"]
            or int(digits, 16) > 0x10FFFF
        ):
            self._wrong("a letter by a number that is none")
        return chr(int(digits, 16))

    def _class(self) -> Letters:
        negated = self._next("^")
        ranges: list[tuple[str, str]] = []
        named: dict[str, Letters] = {}
        first = True
        while first or not self._next("]"):
            first = False
            self._member(ranges, named)
        either = self._folded(_any_of(ranges, tuple(named.values())))
        return (lambda letter: not either(letter)) if negated else either

    def _member(self, ranges: list[tuple[str, str]], named: dict[str, Letters]) -> None:
        """Adds what comes next in a class: a range of letters, or a class by its name."""
        begin = self.at
        if self._next("[:"):
            members = self._posix()
            named[self.pattern[begin : self.at]] = members
            return
        low = self._class_letter()
        if not isinstance(low, str):
            named[self.pattern[begin : self.at]] = low
            return
        high: str | Letters = low
        if self.pattern.startswith("-", self.at) and not self.pattern.startswith("-]", self.at):
            self.at += 1
            high = self._class_letter()
            if not isinstance(high, str) or high < low:
                self._wrong("a range of letters that is none")
        ranges.append((low, str(high)))

    def _class_letter(self) -> "str | Letters":
        letter = self._letter()
        if letter != "\\":
            return letter
        letter = self._letter()
        return _of_class(letter) if letter.lower() in _CLASSES else self._escaped(letter)

    def _posix(self) -> Letters:
        negated = self._next("^")
        end = self.pattern.find(":]", self.at, self.at + MAX_BRACES)
        members = _POSIX.get(self.pattern[self.at : end]) if end > 0 else None
        if members is None:
            self._wrong("a class of letters that is not known")
        self.at = end + 2
        return lambda letter: (letter in (members or ())) != negated


def _of_class(letter: str) -> Letters:
    members = _CLASSES[letter.lower()]
    return members.__contains__ if letter.islower() else (lambda letter_: letter_ not in members)


def _any_of(ranges: list[tuple[str, str]], named: tuple[Letters, ...]) -> Letters:
    """Whether a letter is in one of the ranges, which are looked up, or in one of the named classes, which are few."""
    lows: list[str] = []
    highs: list[str] = []
    for low, high in sorted(ranges):
        if highs and low <= highs[-1]:
            highs[-1] = max(highs[-1], high)
        else:
            lows.append(low)
            highs.append(high)

    def test(letter: str) -> bool:
        at = bisect_right(lows, letter) - 1
        return (at >= 0 and letter <= highs[at]) or any(member(letter) for member in named)

    return test
