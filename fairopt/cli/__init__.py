"""The command line: one module per command, imported when the command is used."""

import sys


def main() -> None:
    """Run ``fairopt`` on the arguments of this process and exit with its code."""
    try:
        from fairopt.cli.app import cli

        cli.main(prog_name="fairopt")
    except KeyboardInterrupt:  # before or after the method, which has its own handler
        sys.exit(130)
