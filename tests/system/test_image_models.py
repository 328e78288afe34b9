"""Models that begin with the bytes of an image file: the host decodes them before the kernels run."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import parser

import ingot
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.border.program import OPEN

Image = pytest.importorskip("PIL.Image")

ALONE = "g (uint8[n] file) => (uint8[h, w, c] image) { image = ImageDecoder(file) }"
BEFORE_KERNELS = """g (uint8[n] file) => (float[1, 3, 2, 4] y) <uint8[2, 4, 3] image> {
    image = ImageDecoder<pixel_format = "BGR">(file)
    turned = Transpose<perm = [2, 0, 1]>(image)
    axis = Constant<value = int64[1] {0}>()
    one = Unsqueeze(turned, axis)
    y = Cast<to = 1>(one)
}"""


def model(body: str) -> onnx.ModelProto:
    return parser.parse_model(f"""<ir_version: 9, opset_import: ["" : 20]> {body}""")


def png(height: int, width: int) -> tuple[bytes, np.ndarray]:
    """An image file and its pixels."""
    pixels = np.random.default_rng(height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue(), pixels


def test_a_model_that_only_decodes_takes_files_and_images_of_any_size() -> None:
    executor = ingot.build(model(ALONE), "interp").load()["g"]()
    assert [port.shape for port in (*executor.inputs, *executor.outputs)] == [(OPEN,), (OPEN, OPEN, OPEN)]
    for extents in ((2, 3), (50, 40)):
        file, pixels = png(*extents)
        for given in (file, bytearray(file), np.frombuffer(file, np.uint8)):
            np.testing.assert_array_equal(executor.predict(file=given), pixels)
        executor.set_input(file=np.frombuffer(file, np.uint8))
        executor.run()
        np.testing.assert_array_equal(executor.get_output("image"), pixels)
        out = np.empty_like(pixels)
        assert executor.predict(file=file, out=out) is out and (out == pixels).all()


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_kernels_read_an_image_of_the_declared_size(target: str) -> None:
    executor = ingot.build(model(BEFORE_KERNELS), target).load()["g"]()
    file, pixels = png(2, 4)
    expected = pixels.astype(np.float32)[:, :, ::-1].transpose(2, 0, 1)[np.newaxis]
    np.testing.assert_array_equal(executor.predict(file=file), expected)
    with pytest.raises(
        ingot.InputError,
        match=r"makes 'image' of the shape \[3, 4, 3\], and it was built for uint8\[2, 4, 3\]",
    ):
        executor.predict(file=png(3, 4)[0])


def test_kernels_that_read_an_image_of_no_declared_size_are_refused() -> None:
    loose = BEFORE_KERNELS.replace("<uint8[2, 4, 3] image>", "").replace(
        "float[1, 3, 2, 4]", "float[a, b, h, w]"
    )
    with pytest.raises(
        ingot.UnsupportedError, match=r"depends on the content of text or of an image.*declare its shape"
    ):
        ingot.build(model(loose), "interp")


def test_an_output_has_the_size_that_it_declares() -> None:
    executor = ingot.build(model(ALONE.replace("[h, w, c]", "[2, 3, 3]")), "interp").load()["g"]()
    assert executor.predict(file=png(2, 3)[0]).shape == (2, 3, 3)
    with pytest.raises(
        ingot.InputError, match=r"output 'image' has the shape \[3, 2, 3\]; expected uint8\[2, 3, 3\]"
    ):
        executor.predict(file=png(3, 2)[0])


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no image": (lambda: b"hello", "the step 'decode' of 'file': its 5 bytes are no image"),
    "a cut one": (lambda: png(9, 9)[0][:200], "bytes are a damaged image"),
    "a list": (lambda: [1, 2], "is a Python list"),
    "nothing": (lambda: None, "is a Python NoneType"),
    "two dimensions": (lambda: np.zeros((2, 2), np.uint8), r"has the shape \[2, 2\]"),
    "another type": (lambda: np.zeros(2, np.int8), "has the dtype int8"),
}


@pytest.mark.parametrize("given", WRONG)
def test_what_is_no_image_file_is_an_input_error(given: str) -> None:
    make, why = WRONG[given]
    executor = ingot.build(model(ALONE), "interp").load()["g"]()
    with pytest.raises(ingot.InputError, match=why):
        executor.predict(file=make())


def test_an_unknown_pixel_format_is_refused_while_building() -> None:
    with pytest.raises(
        ingot.UnsupportedError, match="pixel_format='HSV' is not known: expected RGB, BGR, Grayscale"
    ):
        ingot.build(model(ALONE.replace("ImageDecoder", 'ImageDecoder<pixel_format = "HSV">')), "interp")


def test_a_model_is_built_and_loaded_without_pillow_and_its_executor_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    constant = "g (float[2] x) => (float[2] y, uint8[h, w, c] i) <uint8[3] f = {1, 2, 3}> { y = Neg(x) i = ImageDecoder(f) }"
    for body in (ALONE, BEFORE_KERNELS, constant):
        library = ingot.build(model(body), "interp").load()
        with pytest.raises(
            ingot.LoadError, match=r"needs the package pillow: pip install 'ingot-compiler\[image\]'"
        ):
            library["g"]()


def test_what_the_host_does_with_an_image_is_read_strictly() -> None:
    (info,) = ingot.build(model(ALONE), "interp").models().values()
    content = info_to_json(info)
    assert info_from_json(content) == info
    for change in (
        (b'"RGB"', b'"HSV"'),
        (b'"shape":[-1]', b'"shape":[-2]'),
        (b'"dtype":"uint8"', b'"dtype":"int8"'),
    ):
        assert change[0] in content
        with pytest.raises(ingot.ArtifactError):
            info_from_json(content.replace(*change))


@pytest.mark.cc
def test_c_programs_are_told_that_there_is_no_interface() -> None:
    with pytest.raises(ingot.ArtifactError, match="has no C interface"):
        ingot.build(model(BEFORE_KERNELS), "c").c_header()
