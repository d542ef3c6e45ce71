"""The command line: one module per command, imported when the command is used."""


def main() -> None:
    """Run ``fairopt`` on the arguments of this process and exit with its code."""
    from fairopt.cli.app import cli

    cli.main(prog_name="fairopt")
