"""`ingot completion`: a script by which a shell completes commands, options and file names."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ingot.cli import late
from ingot.cli.arguments import one_of
from ingot.cli.console import show_text
from ingot.cli.parser import Parser

INSTALL = """\
bash: ingot completion bash > ~/.local/share/bash-completion/completions/ingot
zsh:  ingot completion zsh > ~/.zfunc/_ingot
      (with fpath+=~/.zfunc before compinit in ~/.zshrc)
fish: ingot completion fish > ~/.config/fish/completions/ingot.fish
"""


def add_options(parser: Parser) -> None:
    """The options of `ingot completion`."""
    parser.epilog = f"Where the script belongs:\n{INSTALL}"
    parser.add_argument("shell", metavar="|".join(SCRIPTS), help="the shell to write for")


def command(arguments: argparse.Namespace) -> None:
    """Writes the script to standard output."""
    show_text(SCRIPTS[one_of("shell", arguments.shell, SCRIPTS)]())


def _options() -> dict[str, tuple[str, ...]]:
    """The options of every command; of one whose packages are not installed here, none."""
    return {name: _options_of(name) for name in late.SUMMARIES}


def _options_of(name: str) -> tuple[str, ...]:
    parser = Parser(prog=name)
    try:
        late.add_options(name)(parser)
    except ModuleNotFoundError:
        return ()
    return parser.option_strings


def _bash() -> str:
    cases = "\n".join(
        f"        {name}) words='{' '.join(options)}' ;;" for name, options in _options().items()
    )
    return f"""\
_ingot() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=''
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(late.SUMMARIES)} --help --version' -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    COMPREPLY=()
    [ "${{word#-}}" = "$word" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _ingot ingot
"""


def _zsh() -> str:
    cases = "\n".join(
        f"        {name}) compadd -- {' '.join(options)} ;;" for name, options in _options().items()
    )
    return f"""\
#compdef ingot
_ingot() {{
    if (( CURRENT == 2 )); then
        compadd -- {" ".join(late.SUMMARIES)} --help --version
        return
    fi
    if [[ $PREFIX != -* ]]; then
        _files
        return
    fi
    case $words[2] in
{cases}
    esac
}}
_ingot "$@"
"""


def _fish() -> str:
    lines = [
        f"complete -c ingot -n __fish_use_subcommand -f -a {name} -d '{summary[:-1]}'"
        for name, summary in late.SUMMARIES.items()
    ]
    for name, options in _options().items():
        for option in options:
            kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(f"complete -c ingot -n '__fish_seen_subcommand_from {name}' {kind}")
    return "\n".join(lines) + "\n"


SCRIPTS: Mapping[str, Callable[[], str]] = MappingProxyType({"bash": _bash, "zsh": _zsh, "fish": _fish})
