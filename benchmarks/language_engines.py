"""A process with one engine and one language model, for `language_model.py`: reads a command a line, answers with a line of JSON.

    python language_engines.py ENGINE MODEL THREADS CAPACITY

Commands: `prefill N`, `steps PAST N`, `greedy N ID…`, `peak`. The first line that it writes says how long loading took. Only the
engine itself is imported, so that each may have an interpreter of its own.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PIECE = 512  # tokens of a prompt that are read at once
VOCABULARY = (300, 40_000)  # ids that every tokenizer has


@dataclass(frozen=True)
class Model:
    """`step(tokens, past)` gives the logits behind the last token; the cache has `past` tokens before, and these afterwards."""

    step: Callable[[Sequence[int], int], np.ndarray]


def ingot_model(ingot: Any, path: str, threads: int, _capacity: int) -> Model:
    library = ingot.load(path)
    executor = library[library.model_names[0]](ingot.cpu(0), threads=threads)

    def step(tokens: Sequence[int], past: int) -> np.ndarray:
        last = np.array([len(tokens) - 1])
        return executor.predict(
            input_ids=np.array([tokens]), past_length=np.array([past]), logits_at=last
        ).reshape(-1)

    return Model(step)


def onnxruntime_model(onnxruntime: Any, path: str, threads: int, capacity: int) -> Model:
    """Caches are bound as inputs and outputs at once, so that none is copied."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for value in session.get_inputs():
        if value.name.startswith("past_key_values"):
            cache = np.zeros((1, value.shape[1], capacity, value.shape[3]), np.float32)
            shared = onnxruntime.OrtValue.ortvalue_from_numpy(cache)
            binding.bind_ortvalue_input(value.name, shared)
            binding.bind_ortvalue_output(value.name.replace("past_key_values", "present"), shared)
    binding.bind_output("logits")  # the last one bound, so the last of the outputs

    def step(tokens: Sequence[int], past: int) -> np.ndarray:
        binding.bind_cpu_input("input_ids", np.array([tokens]))
        binding.bind_cpu_input("past_length", np.array([past]))
        binding.bind_cpu_input("logits_at", np.array([len(tokens) - 1]))
        session.run_with_iobinding(binding)
        return binding.get_outputs()[-1].numpy().reshape(-1)

    return Model(step)


def openvino_model(openvino: Any, path: str, threads: int, _capacity: int) -> Model:
    """Without rounding of activations. Each call gives caches that are one token longer: two requests take turns, and each reads
    what the other gave, so that nothing is copied between them.
    """
    core = openvino.Core()
    hints = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    hints["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = 0
    compiled = core.compile_model(core.read_model(path), "CPU", hints)
    requests = [compiled.create_infer_request() for _ in range(2)]
    names = [port.any_name for port in compiled.inputs if port.any_name.startswith("past_key_values")]
    for name in names:
        shape = compiled.input(name).partial_shape
        empty = np.zeros((1, shape[1].get_length(), 1, shape[3].get_length()), np.float32)
        requests[0].set_tensor(name, openvino.Tensor(empty))

    def step(tokens: Sequence[int], past: int) -> np.ndarray:
        request, other = requests
        for name, number in (("past_length", past), ("logits_at", len(tokens) - 1)):
            request.set_tensor(name, openvino.Tensor(np.array([number])))
        request.set_tensor("input_ids", openvino.Tensor(np.array([tokens])))
        request.infer()
        for name in names:
            other.set_tensor(name, request.get_tensor(name.replace("past_key_values", "present")))
        requests.reverse()
        return request.get_tensor("logits").data.reshape(-1)

    return Model(step)


def llama_model(llama_cpp: Any, path: str, threads: int, capacity: int) -> Model:
    llama = llama_cpp.Llama(
        path, n_ctx=capacity, n_threads=threads, n_threads_batch=threads, n_batch=PIECE, verbose=False
    )

    def step(tokens: Sequence[int], past: int) -> np.ndarray:
        llama.n_tokens = past  # what the cache has behind that is dropped
        llama.eval(list(tokens))
        pointer = llama_cpp.llama_get_logits_ith(llama.ctx, -1)
        floats = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(floats, (llama.n_vocab(),))

    return Model(step)


ENGINES = {
    "ingot": ingot_model,
    "llama.cpp": llama_model,
    "onnxruntime": onnxruntime_model,
    "openvino": openvino_model,
}


def prefill(model: Model, count: int) -> float:
    """Seconds to read so many tokens, in pieces."""
    tokens = np.random.default_rng(0).integers(*VOCABULARY, count).tolist()
    begin = time.perf_counter()
    for past in range(0, count, PIECE):
        model.step(tokens[past : past + PIECE], past)
    return time.perf_counter() - begin


def steps(model: Model, past: int, count: int) -> float:
    """Seconds of one step, the mean of some that follow each other."""
    begin = time.perf_counter()
    for number in range(count):
        model.step([VOCABULARY[0] + number], past + number)
    return (time.perf_counter() - begin) / count


def greedy(model: Model, count: int, prompt: Sequence[int]) -> list[tuple[int, float]]:
    """The most likely tokens, and by how much the logit of each exceeds the next one. The prompt is read token by token, since
    a library has only some sizes.
    """
    answer: list[tuple[int, float]] = []
    for past, token in enumerate(prompt):
        logits = model.step([token], past)
    while len(answer) < count:
        second, first = np.sort(np.partition(logits, -2)[-2:])
        answer.append((int(np.argmax(logits)), float(first - second)))
        logits = model.step([answer[-1][0]], len(prompt) + len(answer) - 1)
    return answer


def peak_bytes() -> int:
    """The most memory that the process had, with pages of files."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.partition("VmHWM:")[2].split()[0]) << 10


def main() -> None:
    engine, path, threads, capacity = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    module = importlib.import_module({"llama.cpp": "llama_cpp"}.get(engine, engine))
    begin = time.perf_counter()
    model = ENGINES[engine](module, path, threads, capacity)
    print(json.dumps(time.perf_counter() - begin), flush=True)
    for line in sys.stdin:
        command, *numbers = line.split()
        some = [int(number) for number in numbers]
        match command:
            case "prefill":
                reply: object = prefill(model, some[0])
            case "steps":
                reply = steps(model, *some)
            case "greedy":
                reply = greedy(model, some[0], some[1:])
            case _:
                reply = peak_bytes()
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
