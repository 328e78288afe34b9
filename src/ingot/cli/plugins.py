"""`ingot plugins`: what ingot and installed packages offer under each group of plug-ins, and who offers it."""

from __future__ import annotations

import argparse

import ingot
from ingot.base.errors import IngotError, LoadError
from ingot.base.plugins import GROUPS, Offer, every_offer
from ingot.cli import late
from ingot.cli.arguments import one_of
from ingot.cli.console import show_json, show_table
from ingot.cli.parser import Parser


def add_options(parser: Parser) -> None:
    """The options of `ingot plugins`."""
    parser.add_argument(
        "group", metavar="GROUP", nargs="?", help=f"one of {', '.join(GROUPS)} [default: all]"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="import each one, and show what it says of itself or what is wrong",
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")


def command(arguments: argparse.Namespace) -> None:
    """Lists plug-ins; nothing of them is imported unless they are to be checked.

    Raises:
        LoadError: a name is offered twice, or with `--check` a plug-in is not what it should be. What there is was listed before.
    """
    group = arguments.group
    groups = GROUPS if group is None else (one_of("group of plug-ins", group, GROUPS),)
    rows = [_row(offer, why, arguments.check) for name in groups for offer, why in every_offer(name)]
    wrong = [row["wrong"] for row in rows if row["wrong"]]
    if arguments.json:
        show_json(rows)
    else:
        columns = ("group", "name", "offers", "distribution", "version")
        more = ("what",) if arguments.check else ()
        keys = (*columns, *more)
        show_table("", keys, [[row[key] for key in keys] for row in rows])
    if wrong:
        count = "1 plug-in cannot be used" if len(wrong) == 1 else f"{len(wrong)} plug-ins cannot be used"
        raise LoadError(f"{count}: {'; '.join(dict.fromkeys(wrong))}", wrong=tuple(wrong))


def _row(offer: Offer, why: str, check: bool) -> dict[str, str]:
    version = ingot.__version__ if offer.is_built_in else offer.version
    row = dict(zip(("group", "name", "offers"), (offer.group, offer.name, offer.value), strict=True))
    row |= {"distribution": offer.distribution, "version": version, "wrong": why}
    if check:
        row["what"], row["wrong"] = ("", why) if why else _checked(offer)
    return row


def _checked(offer: Offer) -> tuple[str, str]:
    """What a plug-in says of itself, and what is wrong with it: one of both is empty."""
    try:
        return late.describe(offer.group)(offer.name), ""
    except IngotError as error:
        return "", str(error)
    except (
        ModuleNotFoundError
    ) as error:  # of what building needs, which a machine that only loads does without
        return f"needs the package {error.name}, which is not installed", ""
