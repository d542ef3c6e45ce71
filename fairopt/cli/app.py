"""The root command: a lazy table of commands, verbs of problems, and errors in one line.

A new command is a module in this folder and one row of ``COMMANDS``. Nothing but click is
imported to show the help.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import click

import fairopt
from fairopt.errors import FairoptError

COMMANDS = {  # name -> module:command, help
    "solve": ("fairopt.cli.solve:solve", "Solve an instance and show a checked solution."),
    "verify": ("fairopt.cli.verify:verify", "Check every claim of a solution again."),
    "compare": ("fairopt.cli.compare:compare", "Solve with several methods, side by side."),
    "methods": ("fairopt.cli.methods:methods", "List problems, and the methods of one."),
    "generate": ("fairopt.cli.generate:generate", "Make a random instance."),
    "convert": ("fairopt.cli.convert:convert", "Write an instance in another format."),
}
INTERNAL, INTERRUPTED, CLOSED_PIPE = 5, 130, 141  # 141: what a shell calls SIGPIPE
_LONGEST = 500  # characters of an error line


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used, and that never shows a traceback.

    A name that is not in the table is looked for among the verbs of the problems.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name][0].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        from fairopt.cli.verb import verb_command

        return verb_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from fairopt.cli.verb import verb_names

            known = [*COMMANDS, *verb_names()]
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}"
            raise click.UsageError(f"no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any
    ) -> NoReturn:
        name = prog_name or "fairopt"
        if os.environ.get("_FAIROPT_COMPLETE"):
            super().main(args, name, **extra)
        sys.exit(self._run(list(sys.argv[1:] if args is None else args), name))

    def _run(self, args: list[str], name: str) -> int:
        """Run a command and return the exit code; whatever goes wrong becomes one line."""
        debug = bool(os.environ.get("FAIROPT_DEBUG"))
        try:
            with warnings.catch_warnings():
                if not debug:
                    warnings.simplefilter("ignore")
                with self.make_context(name, args) as ctx:
                    code = self.invoke(ctx)
                sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.exceptions.Exit as end:
            return end.exit_code
        except BrokenPipeError:
            _forget_stdout()
            return CLOSED_PIPE
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            return error.exit_code
        except click.ClickException as error:
            return _usage(error)
        except (KeyboardInterrupt, EOFError, click.Abort):
            complain("interrupted")
            return INTERRUPTED
        except FairoptError as error:
            if debug and error.exit_code == INTERNAL:
                raise
            complain(str(error))
            return error.exit_code
        except Exception as error:
            if debug:
                raise
            what = f"{type(error).__name__}: {error}".rstrip(": ")
            complain(f"internal error, please report it: {what} (FAIROPT_DEBUG=1 shows where)")
            return INTERNAL


def complain(text: str) -> None:
    """Print one error line on stderr, whatever a hostile file put into it."""
    from fairopt.cli.show import one_line

    line = one_line(text)
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 2]} …"
    click.echo(f"fairopt: {line}", err=True)


def _usage(error: click.ClickException) -> int:
    """Print what is wrong with the command, and where its help is."""
    text = error.format_message()
    complain(text[:1].lower() + text[1:].rstrip("."))
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        click.echo(f"See '{ctx.command_path} --help'.", err=True)
    return error.exit_code


def _forget_stdout() -> None:
    """Point stdout nowhere, so that the interpreter's last flush cannot fail."""
    with contextlib.suppress(OSError, ValueError):  # no real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Problems have further commands of their own; 'fairopt methods PROBLEM' lists them.",
)
@click.version_option(fairopt.__version__, prog_name="fairopt", message="%(prog)s %(version)s")
def cli() -> None:
    """Fair allocation as constrained optimization: solve, prove, verify.

    \b
    fairopt solve instance.json -o solution.json
    fairopt verify instance.json solution.json
    """
