"""`InferenceSession`: a library or an ONNX file, called as onnxruntime is called."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ingot.base.errors import nearest
from ingot.base.lazy import Late
from ingot.compat.onnxruntime.binding import IOBinding
from ingot.compat.onnxruntime.errors import (
    ArgumentTypeError,
    BindingError,
    InvalidArgument,
    MissingInputError,
    renamed,
)
from ingot.compat.onnxruntime.facts import CPU, providers_of
from ingot.compat.onnxruntime.options import RunOptions, SessionOptions
from ingot.compat.onnxruntime.ort_value import OrtValue
from ingot.compat.onnxruntime.values import ModelMetadata, NodeArg

if TYPE_CHECKING:
    from ingot.compat.onnxruntime import arrays as late_arrays
    from ingot.compat.onnxruntime import models as late_models
    from ingot.runtime.library import Library
else:
    late_arrays = Late("ingot.compat.onnxruntime.arrays")
    late_models = Late("ingot.compat.onnxruntime.models")

EXECUTORS_KEPT = 16  # shapes of an ONNX file for which executors stay in memory


class InferenceSession:
    """A model that is ready to run. Several threads may use it at once."""

    def __init__(
        self,
        path_or_bytes: str | os.PathLike[str] | bytes | Library,
        sess_options: SessionOptions | None = None,
        providers: Sequence[object] | None = None,
        provider_options: Sequence[dict[str, object]] | None = None,
        *,
        model: str | None = None,
        dims: Mapping[str, Any] | None = None,
        constants: Mapping[str, object] | None = None,
        kept: int = EXECUTORS_KEPT,
        **_: object,
    ) -> None:
        """Opens a model.

        Args:
            path_or_bytes: a library file or a loaded `ingot.Library`; or the path or the bytes of an ONNX file, which is built.
            sess_options: `intra_op_num_threads` and extents count.
            providers: names of providers. There is the CPU's; a `UserWarning` says which are not there.
            provider_options: taken without effect.
            model: which model of a library with several.
            dims: extents of an ONNX file, as `ingot.build` takes them.
            constants: inputs of an ONNX file that are frozen; of a library, what they were frozen to. They may be in the
                feed, and are compared.
            kept: for how many shapes of an ONNX file executors stay in memory.
            _: other options of onnxruntime's, taken without effect.

        Raises:
            NoSuchFile: there is no such file.
            InvalidProtobuf: it is neither a library nor an ONNX file.
            InvalidGraph: the model contradicts itself.
            NotImplemented: ingot cannot compile a part of it.
            ArgumentTypeError: neither a path nor bytes nor a library.
        """
        self._options = SessionOptions() if sess_options is None else sess_options
        self.set_providers(providers, provider_options)
        self._fallback = True
        if not isinstance(path_or_bytes, str | bytes | os.PathLike) and not hasattr(
            path_or_bytes, "model_names"
        ):
            raise ArgumentTypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        with renamed():
            self._model = late_models.open_model(
                path_or_bytes,
                model=model,
                dims={**self._options.extents, **(dims or {})},
                constants=constants or {},
                threads=self._options.intra_op_num_threads or None,
                kept=kept,
            )
        declared = self._model.declared
        self._inputs = {arg.name: arg for arg in (*declared.inputs, *declared.overridable)}
        self._required = [arg.name for arg in declared.inputs if not arg.type.startswith("optional")]
        self._outputs = {arg.name: at for at, arg in enumerate(declared.outputs)}

    # ─── what the model is ─────────────────────────────────────────────────────────────────────────────────────────

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a feed must have."""
        return self._model.declared.inputs

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return self._model.declared.outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs that have a value of their own. Another one in a feed is built into a program of its own."""
        return self._model.declared.overridable

    def get_modelmeta(self) -> ModelMetadata:
        """What the model says of itself."""
        return self._model.declared.meta

    def get_session_options(self) -> SessionOptions:
        """The options that the session was opened with."""
        return self._options

    def get_providers(self) -> list[str]:
        """The provider that answers."""
        return [CPU]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The provider that answers, without options."""
        return {CPU: {}}

    def set_providers(
        self,
        providers: Sequence[object] | None = None,
        provider_options: Sequence[dict[str, object]] | None = None,
    ) -> None:
        """Takes names of providers: the CPU's answers; a warning says which are not there."""
        for name in providers_of(providers, provider_options):
            if name != CPU:
                warnings.warn(
                    f"Specified provider '{name}' is not in available provider names. Available providers: '{CPU}'",
                    stacklevel=3,
                )

    def disable_fallback(self) -> None:
        """Notes it: there is nothing to fall back to."""
        self._fallback = False

    def enable_fallback(self) -> None:
        """Notes it: there is nothing to fall back to."""
        self._fallback = True

    # ─── running ───────────────────────────────────────────────────────────────────────────────────────────────────

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,  # noqa: ARG002
    ) -> list[Any]:
        """Computes outputs.

        Args:
            output_names: which, in which order; None or none at all for all of them.
            input_feed: arrays, lists of numbers or `OrtValue`s by name.
            run_options: taken without effect.

        Raises:
            MissingInputError: an input is missing.
            InvalidArgument: there is no such input or output, or an array has another type or shape.
            BindingError: a value that is no tensor.
        """
        keys = input_feed.keys()
        missing = [name for name in self._required if name not in keys]
        if missing:
            raise MissingInputError(
                f"Required inputs ({missing}) are missing from input feed ({list(keys)}).",
                missing=tuple(missing),
            )
        places = self._places(output_names)
        given = {
            name: late_arrays.input_value(self._input(name), value) for name, value in input_feed.items()
        }
        with renamed():
            outputs = self._model.answer(given)
        return outputs if places is None else [outputs[at] for at in places]

    def io_binding(self) -> IOBinding:
        """An object to bind inputs and outputs to."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Computes the outputs that are bound from the inputs that are bound.

        Raises:
            BindingError: whatever does not fit, as onnxruntime raises a RuntimeError for it.
        """
        if not iobinding.outputs:
            raise BindingError("Error in execution: At least one output should be requested.")
        try:
            values = self.run(list(iobinding.outputs), iobinding.inputs, run_options)
        except (InvalidArgument, MissingInputError) as error:
            raise BindingError(f"Error in execution: {error.message}", **error.facts) from error
        iobinding.take(values)

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As `run`, with and for `OrtValue`s."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def _input(self, name: str) -> NodeArg:
        if name not in self._inputs:
            raise InvalidArgument(
                f"Invalid input name: {name}{nearest(name, self._inputs)}",
                name=name,
                known=tuple(self._inputs),
            )
        return self._inputs[name]

    def _places(self, names: Sequence[str] | None) -> list[int] | None:
        """The places of outputs by name; None for all of them."""
        if isinstance(names, str):
            raise ArgumentTypeError(f"output_names is a list of names, got the text {names!r}", got=names)
        if not names:
            return None
        wrong = [name for name in names if name not in self._outputs]
        if wrong:
            raise InvalidArgument(
                f"Invalid output name: {wrong[0]}{nearest(wrong[0], self._outputs)}",
                name=wrong[0],
                known=tuple(self._outputs),
            )
        return [self._outputs[name] for name in names]
