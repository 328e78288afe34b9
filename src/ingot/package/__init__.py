"""The container in a library: bytes that can be read and checked without running code.

Here are the two digests of all that is stored: BLAKE3 to check quickly, SHA-256 for interchange.

Where the `blake3` wheel is missing, SHA-256 does all the work: a BLAKE3 field of zeros means that the writer had none.
"""

import importlib
import os
from collections.abc import Callable

from ingot.artifact.artifact import Content

DIGEST_BYTES = 32
NO_BLAKE3 = bytes(DIGEST_BYTES)
_THREADS_FROM_BYTES = 4 << 20  # below this, starting BLAKE3's threads costs more than they save

blake3_digest: Callable[..., bytes] | None
try:
    from blake3 import blake3
except ImportError:  # no wheel for this platform: SHA-256 says the same, only later
    blake3_digest = None
else:
    # BLAKE3 keeps its threads for the life of the process; a forked child inherits the belief in them, not the threads, and would
    # wait for ever. So children count alone.
    _threads = [blake3.AUTO]
    os.register_at_fork(after_in_child=lambda: _threads.__setitem__(0, 1))

    def _blake3(*parts: Content) -> bytes:
        total = blake3(max_threads=_threads[0]) if sum(map(len, parts)) > _THREADS_FROM_BYTES else blake3()
        for part in parts:
            total.update(part)
        return total.digest()

    blake3_digest = _blake3


def sha256_digest(*parts: Content) -> bytes:
    """SHA-256 of the parts, one after the other."""
    # OpenSSL takes longer to load than a small model; with BLAKE3 at hand, who only loads never needs it.
    total = importlib.import_module("hashlib").sha256()
    for part in parts:
        total.update(part)
    return bytes(total.digest())


def digest_pair(*parts: Content) -> tuple[bytes, bytes]:
    """SHA-256 of the parts, and BLAKE3 of the parts followed by that SHA-256, so that the BLAKE3 alone proves both."""
    sha256 = sha256_digest(*parts)
    return sha256, NO_BLAKE3 if blake3_digest is None else blake3_digest(*parts, sha256)


def matches(sha256: Content, blake3: Content, *parts: Content) -> bool:
    """Whether a pair that `digest_pair` made is still true of the parts."""
    if blake3_digest is None or bytes(blake3) == NO_BLAKE3:
        return sha256_digest(*parts) == bytes(sha256)
    return blake3_digest(*parts, bytes(sha256)) == bytes(blake3)
