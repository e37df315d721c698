"""`python -m engine list` names the games of a folder, `python -m engine play ID` plays one in the terminal."""

from __future__ import annotations

import argparse
import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path

BUNDLED = Path(__file__).resolve().parents[1] / "fixtures" / "environment_files"
NO_TERMIOS = "This system has no termios (Windows has none): use WSL, or the play page."
KEYS = """\
keys:
  W A S D or arrows   ACTION1 up, ACTION3 left, ACTION2 down, ACTION4 right
  Space or F          ACTION5
  click               ACTION6; a character is two cells: the left button clicks the
                      upper one, the right button the lower one
  Ctrl-Z              ACTION7, undo
  R                   reset the level
  Q or Ctrl-C         quit

The window must have 64 columns, 36 rows and 24-bit colours. A held key repeats its
action. Resets are level resets, as on the play page.
"""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks; the exit code is 2 for what cannot be done as asked."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not _has_termios():
        parser.error(NO_TERMIOS)
    return _list(options.games) if options.command == "list" else _play(options.games, options.id, options.seed)


def _has_termios() -> bool:
    return find_spec("termios") is not None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine", epilog=None if _has_termios() else NO_TERMIOS)
    commands = parser.add_subparsers(dest="command", required=True)
    parsers = [
        commands.add_parser("list", help="name the games of a folder"),
        commands.add_parser(
            "play",
            help="play a game in this terminal",
            epilog=KEYS if _has_termios() else NO_TERMIOS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        ),
    ]
    for each in parsers:
        each.add_argument(
            "--games", type=Path, default=BUNDLED, metavar="DIR", help="where the games are; default: the bundled ones"
        )
    parsers[1].add_argument("id", metavar="ID", help="a game's id, or its name if only one version has it")
    parsers[1].add_argument("--seed", type=int, default=0, metavar="N", help="the seed of its random numbers (0)")
    return parser


def _games(root: Path) -> list[tuple[str, Path]]:
    """Id and folder of each game below `root`; what is wrong with others goes to standard error."""
    from engine.catalog import MetadataError, find_games, read_metadata  # they need what Windows has not

    games = []
    for directory in find_games(root):
        try:
            games.append((read_metadata(directory).game_id, directory))
        except MetadataError as error:
            print(error, file=sys.stderr)
    return games


def _list(root: Path) -> int:
    games = _games(root)
    if not games:
        return _refuse(f"There are no games in {root}.")
    print("\n".join(game_id for game_id, _ in games))
    return 0


def _play(root: Path, name: str, seed: int) -> int:
    from engine.terminal import opened_terminal
    from engine.terminal_play import play

    games = _games(root)
    for found in (
        [directory for game_id, directory in games if game_id == name],
        [directory for game_id, directory in games if game_id.partition("-")[0] == name],
    ):
        if found:
            break
    if len(found) != 1:
        problem = f"More than one game in {root} is called {name}." if found else f"There is no game {name} in {root}."
        return _refuse("\n  ".join([f"{problem} There are:", *(game_id for game_id, _ in games or [("none", root)])]))
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
    if not (os.isatty(keyboard) and os.isatty(screen)):
        return _refuse("A game is played in a terminal: standard input and output must be one, not a file or a pipe.")
    printed = io.StringIO()  # by the game, and shown afterwards: it would tear the board
    try:
        with opened_terminal(keyboard, screen) as terminal, redirect_stdout(printed), redirect_stderr(printed):
            play(found[0], seed, terminal)
    except KeyboardInterrupt:
        return 130
    finally:
        sys.stdout.write(printed.getvalue())
        sys.stdout.flush()
    return 0


def _refuse(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
