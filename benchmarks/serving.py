"""Measures a small HTTP service around `library.pool` beside the same one around onnxruntime.

    python benchmarks/serving.py                                 three models, 8 clients
    python benchmarks/serving.py --models digits --clients 1     one of them, without a queue

Both services (`service.py`) run at once and are called in turns (A B A B …) by the same clients, each of which has a
connection of its own and asks again as soon as it is answered. What others do on the machine disturbs both alike, so all
that is shown are ratios, ingot's by onnxruntime's: of requests a second (more is better) and of processor time of the
service for a request the median over neighbouring turns; of what clients wait the median and the 99th percentile over all
turns. Memory is the proportional share (PSS) of the process behind all turns; a cold start is from the start of the process
to its first answer, the median over `--starts` of each.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from machine import describe

import ingot
from models import feeds, subject

SERVICE = Path(__file__).parent / "service.py"
MODELS = ["digits", "resnet18", "minilm"]
ENGINES = ("ingot", "onnxruntime")


class Service:
    """A process that serves a model."""

    def __init__(self, engine: str, path: Path, inputs: Path) -> None:
        self.begin = time.perf_counter()
        command = [sys.executable, str(SERVICE), engine, str(path), str(inputs)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate("")

    def pss_bytes(self) -> int:
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii")
        match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
        assert match is not None
        return int(match[1]) << 10

    def cpu_seconds(self) -> float:
        """Of all its threads so far."""
        after_name = (
            Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        )
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """A connection, over which one request is sent again and again."""

    def __init__(self, port: int, body: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def ask(self) -> bytes:
        self.socket.sendall(self.request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._received()
        head, _, body = answer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head.decode("latin-1"))
        size = re.search(rb"Content-Length: (\d+)", head)
        assert size is not None
        while len(body) < int(size[1]):
            body += self._received()
        return body

    def _received(self) -> bytes:
        part = self.socket.recv(1 << 20)
        if not part:
            raise RuntimeError("the service has ended the connection")
        return part


@dataclass(frozen=True)
class Turn:
    """`rate` in requests a second, `cpu` in processor seconds of the service a request, `waits` for each answer in seconds."""

    rate: float
    cpu: float
    waits: list[float]


def turn(service: Service, clients: list[Client], count: int) -> Turn:
    """Each client asks so many times."""
    waits: list[float] = []

    def ask(client: Client) -> None:
        for _ in range(count):
            begin = time.perf_counter()
            client.ask()
            waits.append(time.perf_counter() - begin)

    used, begin = service.cpu_seconds(), time.perf_counter()
    threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    return Turn(len(waits) / seconds, (service.cpu_seconds() - used) / len(waits), waits)


def requests_of_a_turn(service: Service, clients: list[Client], seconds: float) -> int:
    """How often each client asks in a turn that takes about so long; three times at least."""
    return max(3, round(seconds * turn(service, clients, 3).rate / len(clients)))


def cold_start(engine: str, path: Path, inputs: Path, body: bytes) -> float:
    """Seconds from the start of the process to its first answer."""
    with Service(engine, path, inputs) as service:
        Client(service.port, body).ask()
        return time.perf_counter() - service.begin


def check_answers(answers: list[bytes]) -> None:
    ours, theirs = (np.frombuffer(answer, np.float32) for answer in answers)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * float(np.abs(theirs).max()))


def measure(name: str, folder: Path, options: argparse.Namespace) -> list[float]:
    """The ratios of a model: requests a second, p50, p99, processor time, memory, cold start."""
    chosen = subject(name)
    model = chosen.model()
    given = feeds(model, chosen.dims)
    paths = {"ingot": folder / "m.so", "onnxruntime": folder / "m.onnx"}
    paths["onnxruntime"].write_bytes(model)
    ingot.build(model, options.target, name="m", dims=dict(chosen.dims)).export_library(paths["ingot"])
    inputs, body = folder / "inputs.npz", b"".join(array.tobytes() for array in given.values())
    np.savez(inputs, **given)  # type: ignore[arg-type]
    starts = {engine: [] for engine in ENGINES}
    for _ in range(options.starts):
        for engine in ENGINES:
            starts[engine].append(cold_start(engine, paths[engine], inputs, body))
    turns: dict[str, list[Turn]] = {engine: [] for engine in ENGINES}
    with (
        Service("ingot", paths["ingot"], inputs) as ours,
        Service("onnxruntime", paths["onnxruntime"], inputs) as theirs,
    ):
        services = dict(zip(ENGINES, (ours, theirs), strict=True))
        clients = {
            engine: [Client(each.port, body) for _ in range(options.clients)]
            for engine, each in services.items()
        }
        check_answers([clients[engine][0].ask() for engine in ENGINES])
        count = requests_of_a_turn(theirs, clients["onnxruntime"], options.seconds)
        requests_of_a_turn(ours, clients["ingot"], options.seconds)  # both are warm then
        for _ in range(options.turns):
            for engine, service in services.items():
                turns[engine].append(turn(service, clients[engine], count))
        memory = ours.pss_bytes() / theirs.pss_bytes()
    pairs = list(zip(*turns.values(), strict=True))
    rate, cpu = (
        statistics.median(getattr(a, figure) / getattr(b, figure) for a, b in pairs)
        for figure in ("rate", "cpu")
    )
    waits = [np.concatenate([each.waits for each in turns[engine]]) for engine in ENGINES]
    p50, p99 = np.percentile(waits[0], (50, 99)) / np.percentile(waits[1], (50, 99))
    return [
        rate,
        p50,
        p99,
        cpu,
        memory,
        statistics.median(starts["ingot"]) / statistics.median(starts["onnxruntime"]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--models",
        nargs="+",
        default=MODELS,
        help=f"names as of run.py, or files [default: {' '.join(MODELS)}]",
    )
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--turns", type=int, default=9, help="of each service")
    parser.add_argument("--seconds", type=float, default=2.0, help="of a turn, about")
    parser.add_argument("--starts", type=int, default=5, help="cold starts of each service")
    parser.add_argument("--target", default="llvm")
    options = parser.parse_args()
    print(describe())
    print(
        f"{options.clients} clients, {options.turns} turns of {options.seconds:g} s of each service; ingot ÷ onnxruntime"
    )
    print("| model | requests a second | p50 | p99 | processor time a request | memory (PSS) | cold start |")
    print("|---|---|---|---|---|---|---|")
    for name in options.models:
        with tempfile.TemporaryDirectory() as folder:
            cells = [f"{ratio:.2f}" for ratio in measure(name, Path(folder), options)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
