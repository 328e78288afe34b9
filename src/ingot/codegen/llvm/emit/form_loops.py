"""Loops whose form was recognised (`codegen/llvm/forms`), each written as what it is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit import amx
from ingot.codegen.llvm.emit.builder import Function, Value, number
from ingot.codegen.llvm.emit.expressions import Expressions
from ingot.codegen.llvm.emit.memory import address, store
from ingot.codegen.llvm.emit.scope import Scope
from ingot.codegen.llvm.emit.shuffles import broadcast4, interleaved, transposed
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms.amx_sums import AmxProduct, AmxSums, Shape
from ingot.codegen.llvm.forms.broadcast4 import TOGETHER, Broadcast4
from ingot.codegen.llvm.forms.interleave import Interleave
from ingot.codegen.llvm.forms.recognise import Forms
from ingot.codegen.llvm.forms.transpose import Transpose
from ingot.loops.nodes import For, Stmt, Var


class FormLoops(Expressions):
    """Writes loops that have a form. What is written inside of them is up to who writes the statements."""

    def __init__(
        self,
        kernel_name: str,
        function: Function,
        scope: Scope,
        chip: Chip,
        forms: Forms,
        declarations: dict[str, str],
    ) -> None:
        super().__init__(kernel_name, function, scope, chip, forms)
        self.declarations = declarations
        self.tiles = amx.Held()  # what they hold of what is multiplied
        self.tile_shape: Shape | None = None  # None: not one for the whole function

    @abstractmethod
    def block(self, stmts: Sequence[Stmt]) -> None:
        """Writes statements in order."""

    @abstractmethod
    def _nested(self, stmts: Sequence[Stmt], *names: tuple[Var, Value], steps: bool = False) -> None:
        """Writes a block that binds names. `steps`: the body of a serial loop."""

    def transpose(self, stmt: For, form: Transpose) -> None:
        """A square: its loads along memory first, transposed, then the rows of its results."""
        columns = []
        for load in form.loads:
            rows = []
            for position in range(form.extent):
                self._enter((stmt.var, all_lanes(form.extent)), (form.inner.var, number(position)))
                rows.append(self.value(load))
                self._leave()
            columns.append(transposed(self.ops, rows))
        for position in range(form.extent):
            self._enter((stmt.var, number(position)), (form.inner.var, all_lanes(form.extent)))
            self.lanes = form.extent
            for load, vectors in zip(form.loads, columns, strict=True):
                self.scope.keep(load, vectors[position], from_memory=False)
            self.block(form.inner.body)
            self.lanes = 0
            self._leave()

    def interleave(self, stmt: For, form: Interleave) -> None:
        """Emits the stores of all parts as one store of interleaved elements."""
        inner = form.inner
        lanes = int(self.value(inner.extent).const or 0)
        parts = []
        for position in range(form.parts):
            self._enter((stmt.var, number(position)), (inner.var, all_lanes(lanes)))
            self.lanes = lanes
            parts.append(self.ops.vector(self.value(form.store.value), lanes))
            self.lanes = 0
            self._leave()
        self._enter((stmt.var, number(0)), (inner.var, number(0)))
        first = self._offset(form.store.buffer, form.store.index)
        self._leave()
        width = lanes * form.parts
        place = self._place(form.store.buffer)
        store(self.ops, place, first.stepping(width, 1), interleaved(self.ops, parts), width, None)
        self.scope.forget_memory()

    def broadcast4(self, stmt: For, form: Broadcast4) -> None:
        """Sums of products with scalars, four of which one load brings."""
        self._enter((stmt.var, all_lanes(TOGETHER)))
        spread = [broadcast4(self.ops, self.value(nodes[0]), form.lanes) for nodes in form.factors]
        self._leave()
        for position in range(TOGETHER):
            self._enter((stmt.var, number(position)))
            for nodes, vectors in zip(form.factors, spread, strict=True):
                for node in nodes:
                    self.scope.keep(node, vectors[position], from_memory=False)
            self.block(stmt.body)
            self._leave()

    def amx_sums(self, stmt: For, form: AmxSums) -> None:
        """Sums in tiles, from zero until they are stored."""
        is_configured = form.shape == self.tile_shape
        if not is_configured:
            amx.configure(self.fn, self.declarations, form.shape)
        amx.empty(self.fn, form.sums)
        self._nested(stmt.body[1:], (stmt.var, number(0)))
        amx.keep(self.fn, form.sums, self._place(form.sums.sums).pointer)
        if not is_configured:
            amx.release(self.fn)

    def amx_product(self, _: For, form: AmxProduct) -> None:
        """Adds one product to sums in tiles."""
        if form.is_first:
            self.tiles = amx.Held()  # another iteration may have come before this one
        product = form.product
        self._enter(*((variable, number(0)) for variable in product.variables))
        left, right = (
            address(self.ops, self._place(operand.buffer), self._offset(operand.buffer, operand.index))
            for operand in (product.left, product.right)
        )
        amx.multiply(self.fn, form.sums, product, left, right, self.tiles)
        self._leave()


def all_lanes(count: int) -> Value:
    """The numbers of the lanes."""
    return Value("0", DType.INT64, count, 1, low=0, high=0, multiple=0)
