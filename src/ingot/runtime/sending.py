"""What happens to a library that is sent to another process: it is opened there again, by its path and digest.

A loaded library is a handle of this process and memory mapped by it, which mean nothing elsewhere. `pickle`, and with it joblib,
Ray, Spark, dask and `ProcessPoolExecutor`, get the path instead.
"""

from __future__ import annotations

import threading

from ingot.base.errors import LoadError
from ingot.runtime.library import Library
from ingot.runtime.load import load

_lock = threading.Lock()
_opened: dict[tuple[str, bytes], Library] = {}


def reopen(path: str, sha256: bytes) -> Library:
    """The library of that path, if it still has the digest. A process opens it once, however often it is sent, and keeps it.

    Raises:
        LoadError: there is no such file, it was replaced since the library was sent, or it cannot be loaded here.
        ArtifactError: its bytes were changed.
    """
    with _lock:
        library = _opened.get((path, sha256))
        if library is None:
            library = load(path)
            if library.sha256 != sha256:
                raise LoadError(
                    f"{path}: another library than the one that was sent is there: its digest is {library.sha256.hex()}, "
                    f"expected {sha256.hex()}; send the library again",
                    path=path,
                )
            _opened[path, sha256] = library
    return library.again()
