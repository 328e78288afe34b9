"""The service that `serving.py` measures: one model behind the HTTP server of the standard library, by one engine.

    service.py ENGINE FILE INPUTS.npz

A thread for each connection, which is kept. `POST /` with the inputs one after the other, as raw elements in the order and the
types of INPUTS.npz, is answered by the outputs likewise. Writes its port when it listens, and ends with its standard input.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import numpy as np

Arrays = dict[str, np.ndarray]
Predict = Callable[[Arrays], Any]


def ingot_pool(path: str) -> Predict:
    """As many executors of one thread as there are cores; who comes when all work waits."""
    import ingot

    return ingot.load(path).pool().predict


def onnxruntime_session(path: str) -> Predict:
    """One session that all threads call; an inference runs in the thread that asks for it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


ENGINES = {"ingot": ingot_pool, "onnxruntime": onnxruntime_session}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together, and at once
    disable_nagle_algorithm = True
    predict: ClassVar[Predict]
    inputs: ClassVar[Arrays]

    def do_POST(self) -> None:
        body, begin, given = self.rfile.read(int(self.headers["Content-Length"])), 0, {}
        for name, like in self.inputs.items():
            given[name] = np.frombuffer(body, like.dtype, like.size, begin).reshape(like.shape)
            begin += like.nbytes
        outputs = type(self).predict(given)
        answer = b"".join(
            np.asarray(array).tobytes()
            for array in (outputs if isinstance(outputs, list | tuple) else (outputs,))
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is not measured."""


def main() -> None:
    engine, path, inputs = sys.argv[1:]
    Handler.inputs = dict(np.load(inputs))
    predict = ENGINES[engine](path)
    Handler.predict = staticmethod(predict)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
