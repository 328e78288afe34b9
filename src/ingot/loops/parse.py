"""Reading the text form of a kernel (see `text`).

The text may come from a file that nobody vouches for: whatever it holds, the answer is a kernel or an `ArtifactError`. Time grows
with the length of the text, and nesting is limited. A kernel that was read is of the right form; whether it keeps the rules is
for `verify` to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar, cast

from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.loops.nodes import (
    FUNCTIONS,
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Load,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.text import ALLOC_WORDS, INFIX, LOOP_WORDS

SIZE_MAX = 64 * 1024 * 1024  # characters
NESTING_MAX = 100  # of brackets in an expression, and of blocks
_DIGITS_MAX = 40  # of one number: more fits no type, and reading it would take quadratic time
_TOKEN = re.compile(
    r"[ \t\n]*(?:"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<shared>\$[0-9]{1,9})"
    r"|(?P<number>-?(?:[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|inf(?=:)))"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<sign><<|>>|<=|>=|==|!=|[-+*/%&|^<>=()\[\]{},:])"
    r"|(?P<end>\Z)"
    r")",
    re.ASCII,
)
_OPERATIONS = {sign: op for op, sign in INFIX.items()}
_LOOPS = {word: kind for kind, word in LOOP_WORDS.items()}
_ALLOCS = {word: space for space, word in ALLOC_WORDS.items()}
_TYPES = {dtype.short: dtype for dtype in DType}
_BITCASTS = {f"bitcast_{dtype.short}": dtype for dtype in DType}
# Functions with a fixed number of operands: how many, and how the node is made of them.
_MAKERS: dict[str, tuple[int, Callable[[Sequence[Expr]], Expr]]] = {
    "neg": (1, lambda args: Unary("neg", args[0])),
    "not": (1, lambda args: Unary("not", args[0])),
    "min": (2, lambda args: Binary("min", args[0], args[1])),
    "max": (2, lambda args: Binary("max", args[0], args[1])),
    "fma": (3, lambda args: Fma(args[0], args[1], args[2])),
    "dot2": (3, lambda args: Dot2(args[0], args[1], args[2])),
    "dot4": (3, lambda args: Dot4(args[0], args[1], args[2])),
    "dot4s": (3, lambda args: Dot4(args[0], args[1], args[2], signed=True)),
    "dot4n": (3, lambda args: Dot4(args[0], args[1], args[2], narrow=True)),
    "dot4sn": (3, lambda args: Dot4(args[0], args[1], args[2], signed=True, narrow=True)),
    "select": (3, lambda args: Select(args[0], args[1], args[2])),
}


def from_text(text: str) -> Kernel:
    """The kernel of a text form. What was printed as one shared node is one object again.

    Raises:
        ArtifactError: not a text form; the message says in which line and what was expected.
    """
    if len(text) > SIZE_MAX:
        raise ArtifactError(
            f"kernel text has {len(text)} characters, at most {SIZE_MAX} are read", size=len(text)
        )
    return _Parser(text).kernel()


_Named = TypeVar("_Named", Var, Buffer)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._kind = ""
        self._token = ""
        self._buffers: dict[str, Buffer] = {}
        self._variables: dict[str, Var] = {}
        self._shared: dict[str, Expr] = {}
        self._hidden: list[tuple[dict[str, Var | Buffer], str, Var | Buffer | None]] = []
        self._depth = 0
        self._next()

    # ─── tokens ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _next(self) -> str:
        """Moves on by a token; returns the one that was left."""
        left = self._token
        matched = _TOKEN.match(self._text, self._end)
        if matched is None:
            self._kind, self._token = "nothing", self._text[self._end : self._end + 10].lstrip()[:1]
            self.fail("expected a token")
        self._kind = matched.lastgroup or ""
        self._token = matched[self._kind]
        self._end = matched.end()
        return left

    def fail(self, why: str) -> NoReturn:
        line = self._text.count("\n", 0, min(self._end, len(self._text))) + 1
        got = repr(self._token[:40]) if self._token else "the end"
        raise ArtifactError(f"kernel text, line {line}: got {got}, {why}", line=line)

    def _expect(self, token: str) -> None:
        if self._token != token or self._kind == "string":
            self.fail(f"expected {token!r}")
        self._next()

    def _name(self) -> str:
        if self._kind != "name":
            self.fail("expected a name")
        return self._next()

    def _integer(self) -> int:
        if self._kind != "number" or len(self._token) > _DIGITS_MAX or not self._token.lstrip("-").isdigit():
            self.fail("expected an integer")
        return int(self._next())

    def _type(self) -> DType:
        if self._token not in _TYPES:
            self.fail(f"expected an element type ({', '.join(_TYPES)})")
        return _TYPES[self._next()]

    # ─── kernels and buffers ───────────────────────────────────────────────────────────────────────────────────────

    def kernel(self) -> Kernel:
        self._expect("kernel")
        name = "" if self._token == "{" else self._name()
        self._expect("{")
        comment = self._string() if self._kind == "string" else ""
        params: dict[str, list[Buffer]] = {"in": [], "out": [], "work": []}
        in_place: list[tuple[int, int]] = []
        while self._token in params:
            group = params[self._next()]
            buffer = self._buffer()
            if buffer.name in self._buffers:
                self.fail(f"a second buffer {buffer.name!r}")
            self._buffers[buffer.name] = buffer
            group.append(buffer)
        while self._token == "in_place":
            self._next()
            in_place.append((self._integer(), self._integer()))
        checks = self._token == "checks"
        if checks:
            self._next()
        body = self._block()
        if self._kind != "end":
            self.fail("expected the end")
        return Kernel(
            name,
            tuple(params["in"]),
            tuple(params["out"]),
            body,
            tuple(params["work"]),
            tuple(in_place),
            comment,
            checks,
        )

    def _string(self) -> str:
        try:
            value = json.loads(self._token)
        except ValueError:
            self.fail("expected a string as JSON writes it")
        self._next()
        return str(value)

    def _buffer(self) -> Buffer:
        name = self._name()
        self._expect(":")
        dtype = self._type()
        shape, strides = self._integers("[", "]"), self._integers("{", "}")
        if len(shape) != len(strides):
            self.fail(f"buffer {name!r} has {len(shape)} dimensions and {len(strides)} strides")
        if any(not 0 <= number < 2**63 for number in shape + strides):
            self.fail(f"buffer {name!r} has an extent or stride that is negative or too large")
        return Buffer(name, dtype, shape, strides)

    def _integers(self, opening: str, closing: str) -> tuple[int, ...]:
        self._expect(opening)
        numbers: list[int] = []
        while self._token != closing:
            if numbers:
                self._expect(",")
            numbers.append(self._integer())
        self._next()
        return tuple(numbers)

    # ─── statements ────────────────────────────────────────────────────────────────────────────────────────────────

    def _block(self, *variables: Var) -> tuple[Stmt, ...]:
        """Statements up to and with the closing brace. Names that they bind, and the variables, are forgotten after it."""
        self._enter()
        mark = len(self._hidden)
        for variable in variables:
            self._bind(self._variables, variable)
        stmts: list[Stmt] = []
        while self._token != "}":
            stmt = self._statement()
            if stmt is not None:
                self._shared = {}
                stmts.append(stmt)
        while len(self._hidden) > mark:
            table, name, old = self._hidden.pop()
            if old is None:
                del table[name]
            else:
                table[name] = old
        self._depth -= 1
        self._next()
        return tuple(stmts)

    def _bind(self, table: dict[str, _Named], named: _Named) -> None:
        # What a name meant before is kept for the end of the block; a copy of the table for each block would be quadratic.
        self._hidden.append((cast(dict[str, Var | Buffer], table), named.name, table.get(named.name)))
        table[named.name] = named

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > NESTING_MAX:
            self.fail(f"which nests deeper than {NESTING_MAX}")

    def _statement(self) -> Stmt | None:
        """A statement, or None for the line that names a node."""
        if self._kind == "shared":
            name = self._next()
            if name in self._shared:
                self.fail(f"{name} is named a second time")
            self._expect("=")
            self._shared[name] = self._expr()
            return None
        word = self._name()
        match word:
            case "store":
                buffer = self._known_buffer(self._name())
                index = self._arguments("[", "]")
                self._expect("=")
                return Store(buffer, index, self._expr())
            case "prefetch" | "prefetch_near" | "prefetch_alone" | "prefetch_near_alone":
                where = self._known_buffer(self._name()), self._arguments("[", "]")
                return Prefetch(*where, near="_near" in word, alone="_alone" in word)
            case "let":
                var = Var(self._name(), self._after_colon())
                self._expect("=")
                value = self._expr()
                self._bind(self._variables, var)
                return Let(var, value)
            case word if word in _ALLOCS:
                local = self._buffer()
                self._bind(self._buffers, local)
                return Alloc(local, _ALLOCS[word])
            case "if":
                condition = self._expr()
                self._open()
                then = self._block()
                if self._token != "else":
                    return If(condition, then)
                self._next()
                self._open()
                return If(condition, then, self._block())
        if word not in _LOOPS:
            self.fail(f"after {word!r}, which begins no statement")
        variable = Var(self._name())
        end = None
        if self._token == ",":
            self._next()
            end = Var(self._name())
        self._expect("<")
        extent, run_min = self._expr(), 1
        if end is not None:
            self._expect("by")
            run_min = self._integer()
        self._open()
        return For(
            variable,
            extent,
            self._block(variable, *([] if end is None else [end])),
            _LOOPS[word],
            end,
            run_min,
        )

    def _open(self) -> None:
        self._expect("{")
        self._shared = {}

    def _after_colon(self) -> DType:
        self._expect(":")
        return self._type()

    def _known_buffer(self, name: str) -> Buffer:
        buffer = self._buffers.get(name)
        if buffer is None:
            self.fail(f"and there is no buffer {name!r}")
        return buffer

    # ─── expressions ───────────────────────────────────────────────────────────────────────────────────────────────

    def _expr(self) -> Expr:
        match self._kind:
            case "name":
                return self._named()
            case "number":
                return self._number(self._next())
            case "shared":
                node = self._shared.get(self._token)
                if node is None:
                    self.fail("which names no node here")
                self._next()
                return node
        if self._token != "(" or self._kind != "sign":
            self.fail("expected an expression")
        self._next()
        self._enter()
        left = self._expr()
        op = _OPERATIONS.get(self._token) if self._kind == "sign" else None
        if op is None:
            self.fail("expected an operator")
        self._next()
        right = self._expr()
        self._depth -= 1
        self._expect(")")
        return Binary(op, left, right)

    def _named(self) -> Expr:
        name = self._next()
        match self._token:
            case "[":
                return Load(self._known_buffer(name), self._arguments("[", "]"))
            case "(":
                return self._call(name, self._arguments("(", ")"))
            case ":" if name in ("inf", "nan"):
                return self._number(name)
        if name in ("true", "false"):
            return Const(name == "true", DType.BOOL)
        variable = self._variables.get(name)
        if variable is None:
            self.fail(f"and there is no variable {name!r}")
        return variable

    def _number(self, text: str) -> Expr:
        dtype = self._after_colon_or_int64()
        if dtype.is_float and len(text) <= _DIGITS_MAX:
            return Const(float(text), dtype)
        if dtype is DType.BOOL or len(text) > _DIGITS_MAX or not text.lstrip("-").isdigit():
            self.fail(f"after {text[:_DIGITS_MAX]!r}, which is no {dtype.short}")
        return Const(int(text), dtype)

    def _after_colon_or_int64(self) -> DType:
        return self._after_colon() if self._token == ":" and self._kind == "sign" else DType.INT64

    def _arguments(self, opening: str, closing: str) -> tuple[Expr, ...]:
        self._expect(opening)
        self._enter()
        arguments: list[Expr] = []
        while self._token != closing or self._kind != "sign":
            if arguments:
                self._expect(",")
            arguments.append(self._expr())
        self._depth -= 1
        self._next()
        return tuple(arguments)

    def _call(self, name: str, args: tuple[Expr, ...]) -> Expr:
        if not args:
            self.fail(f"after {name!r} without an operand")
        if name == "word" and len(args) == 1:
            if not isinstance(args[0], Load):
                self.fail("after a word of what is no element of a buffer")
            return Word(args[0])
        maker = _MAKERS.get(name)
        if maker is not None:
            if len(args) != maker[0]:
                self.fail(f"after {name!r} of {len(args)} operands, expected {maker[0]}")
            return maker[1](args)
        if name in FUNCTIONS:
            return Call(name, args)
        dtype = _TYPES.get(name) or _BITCASTS.get(name)
        if dtype is None or len(args) != 1:
            self.fail(f"after {name!r} of {len(args)} operands, which is no function")
        return Cast(args[0], dtype) if name in _TYPES else Bitcast(args[0], dtype)
