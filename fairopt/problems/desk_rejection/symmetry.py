"""The same instance under other ids, or listed in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from fairopt.problem import Problem

P = TypeVar("P", bound=Problem)


def renamed(problem: P, rename: Callable[[str], str]) -> P:
    """Return the instance with every id of a paper and an author passed through ``rename``."""
    content = problem.to_json()
    for paper in content["papers"]:
        paper["id"] = rename(paper["id"])
        paper["authors"] = [rename(name) for name in paper["authors"]]
        if "roles" in paper:
            paper["roles"] = {rename(name): role for name, role in paper["roles"].items()}
    for author in content.get("authors", []):
        author["id"] = rename(author["id"])
        if "drop_order" in author:
            author["drop_order"] = [rename(name) for name in author["drop_order"]]
    return _again(problem, content)


def reordered(problem: P, rng: np.random.Generator) -> P:
    """Return the instance with papers, and authors within papers, in another order."""
    content = problem.to_json()
    papers = content["papers"]
    content["papers"] = [papers[j] for j in rng.permutation(len(papers)).tolist()]
    for paper in content["papers"]:
        rng.shuffle(paper["authors"])
    return _again(problem, content)


def _again(problem: P, content: dict[str, Any]) -> P:
    return type(problem).from_json(content).replace(objective=problem.objective.name)
