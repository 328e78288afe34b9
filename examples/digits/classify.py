"""The part of the digits example that ships: loads a library and classifies images. Imports nothing that compiles.

    python classify.py digits.so digits_test.npz

Writes one JSON object: the predictions, their probabilities and the time of each image.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import ingot


def main(library_path: str, images_path: str) -> None:
    images = np.load(images_path)["images"]
    library = ingot.load(library_path)
    model = library["digits"](ingot.cpu(0), threads=1)
    answer = np.empty(model.outputs[0].shape, np.float32)
    predictions, certainties, seconds = [], [], []
    for pixels in images:
        image = (pixels / 16).astype(np.float32).reshape(1, 1, 8, 8)
        begin = time.perf_counter()
        model.predict(image=image, out=answer)
        seconds.append(time.perf_counter() - begin)
        predictions.append(int(answer.argmax()))
        certainties.append(float(answer.max()))
    compiler = sorted({"onnx", "onnx_ir", "llvmlite"} & set(sys.modules))
    json.dump(
        {"predictions": predictions, "certainties": certainties, "seconds": seconds, "compiler": compiler},
        sys.stdout,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
