"""How far floating-point answers may be from expected ones, unless somebody says otherwise: ATOL + RTOL · |expected|."""

from __future__ import annotations

RTOL, ATOL = 1e-4, 1e-5
