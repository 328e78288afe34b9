"""Images from the bytes of image files, by Pillow: an optional package, which is imported when an executor of a model with such
a step is made, and by nothing else.

*Source:* ONNX's ImageDecoder. Colours follow Pillow: transparency is dropped, a palette looked up, grey is ITU-R BT.601's luma.
An orientation that a camera noted is not applied.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ingot.base.errors import LoadError

INSTALL = "pip install 'ingot-compiler[image]'"
PIXEL_FORMATS = ("RGB", "BGR", "Grayscale")
MAX_PIXELS = 1 << 26  # of an image: known from the file's head, before any pixel takes memory
# Only the formats that ONNX names: some of Pillow's other readers start programs.
_FORMATS = {
    "BMP": "Bmp", "JPEG": "Jpeg", "JPEG2000": "Jpeg2K", "PNG": "Png", "PPM": "Ppm", "TIFF": "Tiff", "WEBP": "WebP",
}  # fmt: skip
# How Pillow calls pixels whose channels have 8 bits or one.
_MODES = frozenset(
    {"1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV"}
)

Array = np.ndarray[Any, Any]


class ImageError(ValueError):
    """Bytes that are no image that can be decoded; the text says why."""


def require_pillow() -> Any:
    """The module `PIL.Image`, with the readers of all formats.

    Raises:
        LoadError: the package is not installed, or is damaged.
    """
    try:
        for reader in _FORMATS.values():
            importlib.import_module(f"PIL.{reader}ImagePlugin")
        pillow = importlib.import_module("PIL.Image")
        pillow.preinit()  # what opening an image would import
        return pillow
    except ImportError as error:
        raise LoadError(
            f"a model that decodes images (ImageDecoder) needs the package pillow: {INSTALL} ({error})",
            package="pillow",
        ) from None


def image_decoder(pixel_format: str) -> Callable[[Array], Array]:
    """A function from the bytes of an image file, a `uint8` array, to its pixels, `uint8[height, width, channels]`.

    It raises ImageError where the bytes are no image that can be decoded.
    """
    if pixel_format not in PIXEL_FORMATS:
        raise ValueError(f"pixel_format={pixel_format!r} is not known: expected {', '.join(PIXEL_FORMATS)}")
    mode = "L" if pixel_format == "Grayscale" else "RGB"

    def decode(encoded: Array) -> Array:
        if encoded.ndim != 1:
            raise ImageError(
                f"got the shape {list(encoded.shape)}, expected the bytes of a file in one dimension"
            )
        pixels = _pixels(require_pillow(), encoded.tobytes(), mode)
        if mode == "L":
            return pixels[:, :, np.newaxis]
        return np.ascontiguousarray(pixels[:, :, ::-1]) if pixel_format == "BGR" else pixels

    return decode


def _pixels(pillow: Any, content: bytes, mode: str) -> Array:
    try:
        with pillow.open(io.BytesIO(content), formats=tuple(_FORMATS)) as image:
            _check(image)
            return np.array(image if image.mode == mode else image.convert(mode))
    except (MemoryError, ImageError):
        raise
    except pillow.UnidentifiedImageError:
        formats = ", ".join(_FORMATS)
        raise ImageError(
            f"its {len(content)} bytes are no image; expected a whole file of {formats}"
        ) from None
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning):
        raise ImageError(_TOO_LARGE) from None
    except (
        Exception
    ) as error:  # its readers raise what they come across: OSError, SyntaxError, struct.error, …
        words = " ".join(str(error).split())[:200]
        raise ImageError(
            f"its {len(content)} bytes are a damaged image: {type(error).__name__}: {words}"
        ) from None


_TOO_LARGE = f"the image has more pixels than the limit of {MAX_PIXELS}"


def _check(image: Any) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise ImageError(f"{_TOO_LARGE}: {image.width} × {image.height}")
    if image.mode not in _MODES:
        raise ImageError(
            f"the image has pixels of the kind {image.mode}; expected channels of 8 bits; convert the image first"
        )
