"""What the step `decode` makes of image files, and of what is none."""

from __future__ import annotations

import io
import struct
import sys
import zlib

import numpy as np
import pytest

from ingot.base.errors import LoadError
from ingot.border import images
from ingot.border.images import MAX_PIXELS, ImageError, image_decoder, require_pillow

Image = pytest.importorskip("PIL.Image")
PIXELS = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)


def encoded(kind: str, pixels: np.ndarray = PIXELS, mode: str | None = None, **options: object) -> np.ndarray:
    file = io.BytesIO()
    picture = Image.fromarray(pixels)
    (picture if mode is None else picture.convert(mode)).save(file, kind, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def decode(file: np.ndarray | bytes, pixel_format: str = "RGB") -> np.ndarray:
    return image_decoder(pixel_format)(np.frombuffer(file, np.uint8))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("BMP", {}),
        ("PPM", {}),
        ("TIFF", {}),
        ("WEBP", {"lossless": True}),
        ("JPEG2000", {"irreversible": False}),
    ],
)
def test_files_without_loss_give_back_their_pixels(kind: str, options: dict[str, object]) -> None:
    file = encoded(kind, **options)
    np.testing.assert_array_equal(decode(file), PIXELS)
    np.testing.assert_array_equal(decode(file, "BGR"), PIXELS[:, :, ::-1])
    assert decode(file, "BGR").flags.c_contiguous


def test_grey_is_the_luma_of_a_picture_in_one_channel() -> None:
    grey = decode(encoded("PNG"), "Grayscale")
    assert grey.shape == (5, 7, 1) and grey.dtype == np.uint8
    np.testing.assert_allclose(grey[:, :, 0], PIXELS @ np.array([0.299, 0.587, 0.114]), atol=0.51)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_files_of_other_kinds_of_pixels_have_three_channels_too(mode: str) -> None:
    pixels = decode(encoded("PNG", mode=mode))
    assert pixels.shape == (5, 7, 3)
    if mode in ("1", "L", "LA"):
        assert (pixels == pixels[:, :, :1]).all()


def test_pixels_of_sixteen_bits_are_refused() -> None:
    """Pillow would clip them to 255."""
    with pytest.raises(ImageError, match="expected channels of 8 bits"):
        decode(encoded("PNG", np.full((2, 2), 40_000, np.uint16)))


@pytest.mark.parametrize(
    "content", [b"", b"hello", bytes(1000), encoded("GIF").tobytes(), b"%!PS-Adobe-3.0 EPSF-3.0\n"]
)
def test_what_is_no_image_of_these_formats_is_refused(content: bytes) -> None:
    with pytest.raises(ImageError, match="bytes are no image"):
        decode(content)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "PPM", "TIFF", "WEBP", "JPEG2000", "JPEG"])
def test_every_cut_file_and_every_changed_one_is_an_image_or_an_error_of_its_own(kind: str) -> None:
    file = encoded(kind).tobytes()
    random = np.random.default_rng(1)
    changed = [file[:length] for length in range(0, len(file), 7)]
    for _ in range(60):
        other = np.frombuffer(file, np.uint8).copy()
        other[random.integers(0, len(file), 3)] = random.integers(0, 256, 3, np.uint8)
        changed.append(other.tobytes())
    for content in changed:
        try:
            assert decode(content).ndim == 3
        except ImageError:
            continue


def png_of(width: int, height: int) -> bytes:
    """A PNG file of a hundred bytes whose head says how large it is."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(64))), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    "extents", [(MAX_PIXELS + 1, 1), (1 << 14, 1 << 13), (30_000, 30_000), (1 << 30, 1 << 30)]
)
def test_an_image_of_too_many_pixels_is_refused_by_its_head(extents: tuple[int, int]) -> None:
    with pytest.raises(ImageError, match=f"more pixels than the limit of {MAX_PIXELS}"):
        decode(png_of(*extents))


@pytest.mark.filterwarnings("ignore")  # Pillow warns of what is refused here
def test_too_many_pixels_are_refused_where_warnings_are_no_errors() -> None:
    with pytest.raises(ImageError, match="more pixels than the limit"):
        decode(png_of(10_000, 10_000))


def test_bytes_have_one_dimension() -> None:
    with pytest.raises(ImageError, match="in one dimension"):
        image_decoder("RGB")(np.zeros((2, 2), np.uint8))


def test_without_pillow_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(LoadError, match=r"pip install 'ingot-compiler\[image\]'") as caught:
        require_pillow()
    assert caught.value.facts["package"] == "pillow"


def test_only_formats_that_onnx_names_are_read() -> None:
    assert set(images._FORMATS) == {"BMP", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP"}
