"""What code is made for: `Target`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from ingot.base.errors import TargetError, nearest
from ingot.base.records import Frozen

PRESETS: Mapping[str, str] = {
    "host": "llvm -mcpu=native",
}


class Target(metaclass=Frozen):
    """What code is made for. Text form: `llvm -mcpu=skylake-avx512 -mattr=+avx2,-fma -mtriple=x86_64-linux-gnu --option=value`.

    The text form is lossless: `Target.parse(str(target)) == target`, except for `key`, which is a
    model's own name for the target ("host", or the name of an accelerator). `cpu` may be several names with commas between them,
    from the lowest to the highest: a library then has code for each.
    """

    codegen: str
    cpu: str = ""
    features: tuple[str, ...] = ()  # "+avx2", "-fma"
    triple: str = ""
    options: tuple[tuple[str, str], ...] = ()  # sorted by name
    key: str = "host"

    def __post_init__(self) -> None:
        for name in ("codegen", "cpu", "triple", "key"):
            if not isinstance(getattr(self, name), str):
                raise TargetError(f"Target({name}={getattr(self, name)!r}): expected text")
        if not isinstance(self.features, tuple) or not all(
            isinstance(feature, str) for feature in self.features
        ):
            raise TargetError(
                f"Target(features={self.features!r}): expected a tuple of text, such as ('+avx2',)"
            )
        if not isinstance(self.options, tuple) or not all(map(_is_option, self.options)):
            raise TargetError(
                f"Target(options={self.options!r}): expected a tuple of pairs of text, such as (('l2', '1M'),)"
            )

    @classmethod
    def parse(cls, text: str, key: str = "host") -> Target:
        """Reads the text form or the name of a preset.

        Raises:
            TargetError: not of the form, or an unknown flag.
        """
        try:
            words = shlex.split(PRESETS.get(text.strip(), text))
        except ValueError as error:
            raise TargetError(f"target {text!r}: {error}", target=text) from error
        if not words or not re.fullmatch(r"[a-z][a-z0-9_-]*", words[0]):
            raise TargetError(
                f"target {text!r}: expected a code generator's name first, such as 'llvm -mcpu=native' or 'c'",
                target=text,
            )
        cpu = triple = ""
        features: tuple[str, ...] = ()
        options: dict[str, str] = {}
        for word in words[1:]:
            flag, equals, value = word.partition("=")
            if not equals or not value:
                raise TargetError(
                    f"target {text!r}: {word!r} is not of the form -flag=value", target=text, flag=word
                )
            if flag in ("-mcpu", "-mtriple") and re.search(
                r"[^A-Za-z0-9._,-]" if flag == "-mcpu" else r"[^A-Za-z0-9._-]", value
            ):
                raise TargetError(f"target {text!r}: {value!r} is no name for {flag}", target=text, flag=word)
            if flag == "-mcpu":
                cpu = value
            elif flag == "-mtriple":
                triple = value
            elif flag == "-mattr":
                features = tuple(part.strip() for part in value.split(",") if part.strip())
                for feature in features:
                    if not re.fullmatch(r"[+-][A-Za-z0-9._-]+", feature):
                        raise TargetError(
                            f"target {text!r}: feature {feature!r} must begin with + or -",
                            target=text,
                            feature=feature,
                        )
            elif flag.startswith("--") and len(flag) > 2:
                options[flag[2:]] = value
            else:
                known = ["-mcpu", "-mattr", "-mtriple", "--option"]
                raise TargetError(
                    f"target {text!r}: unknown flag {flag!r}{nearest(flag, known)} (known: {', '.join(known)})",
                    target=text,
                    flag=flag,
                )
        return cls(words[0], cpu, features, triple, tuple(sorted(options.items())), key)

    def __str__(self) -> str:
        words = [self.codegen]
        if self.triple:
            words.append(f"-mtriple={self.triple}")
        if self.cpu:
            words.append(f"-mcpu={self.cpu}")
        if self.features:
            words.append(f"-mattr={','.join(self.features)}")
        words += [shlex.quote(f"--{name}={value}") for name, value in self.options]
        return " ".join(words)


def _is_option(pair: object) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(word, str) for word in pair)
