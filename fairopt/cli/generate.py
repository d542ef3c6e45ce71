"""``fairopt generate``: random instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from fairopt.cli import reading, show, values
from fairopt.errors import UsageError


@click.command()
@click.argument("problem")
@click.argument("generator", required=False)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Default 0.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter of the generator."
)
@click.option("-o", "--output", metavar="FILE", help="Default: JSON on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
def generate(
    problem: str,
    generator: str | None,
    seed: int,
    settings: tuple[str, ...],
    output: str | None,
    quiet: bool,
) -> int:
    """Make a random instance; without GENERATOR list those of the problem.

    The same parameters and seed give the same instance.

    \b
    fairopt generate desk-rejection powerlaw --set papers=1000 --seed 1 -o instance.json
    """  # fmt: skip
    from fairopt import api, files, registry

    name = registry.problem_entry(problem).name
    known = registry.generators(name)
    if generator is None:
        if settings or output is not None:
            raise UsageError(f"name a generator of {name}: {', '.join(known) or 'it has none'}")
        _list(name, known)
        return 0
    reading.writable(output)
    made = api.generate(name, generator, seed=seed, **_parameters(known, generator, settings))
    if output is None:
        click.echo(files.dump_json(made.to_json()), nl=False)
        return 0
    files.save(made, output)
    if not quiet:
        click.echo(f"{name} instance written to {output}", err=True)
    return 0


def _parameters(
    known: Mapping[str, Any], generator: str, settings: tuple[str, ...]
) -> dict[str, Any]:
    """Return the parameters, typed as the generator declares them."""
    from fairopt.options import options_of

    given = values.split(settings, "--set")
    if "seed" in map(values.canonical, given):
        raise UsageError("--set seed: use the flag --seed")
    function = known.get(generator.replace("_", "-"))
    options = {} if function is None else options_of(function)
    out: dict[str, Any] = {}
    for key, text in given.items():
        option = options.get(values.canonical(key))
        out[key] = text if option is None else values.typed(text, option.kind, where=f"--set {key}")
    return out


def _list(problem: str, known: Mapping[str, Any]) -> None:
    """Print the generators with their first line of documentation and their parameters."""
    from fairopt.options import options_of

    if not known:
        show.say(f"{problem} has no generators")
    for name, function in known.items():
        show.say(name)
        words = (function.__doc__ or "").strip().splitlines()
        if words:
            show.paragraph(words[0].replace("``", ""), "  ")
        parameters = [option.describe() for option in options_of(function).values()]
        if parameters:
            show.paragraph(f"parameters: {'; '.join(parameters)}", "  ")
