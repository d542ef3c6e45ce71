"""Oracles: all ordered partitions, and dissents counted judge by judge."""

from fractions import Fraction


def opinion(order, i, j):
    """Return 1, 0, -1 or None for a ballot of tiers."""
    place = {x: k for k, tier in enumerate(order) for x in tier}
    if i not in place or j not in place:
        return None
    return (place[i] < place[j]) - (place[i] > place[j])


def dissents(n, opinions, convention):
    """Return d[i][j] for opinions: a list of (weight, function of a pair)."""
    total = sum(w for w, _ in opinions)
    out = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            sums = {1: 0, 0: 0, -1: 0, None: 0}
            for weight, said in opinions:
                sums[said(i, j)] += weight
            if convention == "strict":
                out[i][j] = Fraction(total - sums[1], total)
            elif convention == "half-ties":
                out[i][j] = Fraction(2 * sums[-1] + sums[0] + 2 * sums[None], 2 * total)
            else:
                judged = total - sums[None]
                out[i][j] = Fraction(sums[-1] + sums[0], judged) if judged else Fraction(1)
    return out


def partitions(items):
    """Yield all ordered partitions."""
    if not items:
        yield []
        return
    for mask in range(1, 2 ** len(items)):
        top = [x for k, x in enumerate(items) if mask >> k & 1]
        rest = [x for k, x in enumerate(items) if not mask >> k & 1]
        for below in partitions(rest):
            yield [top, *below]


def optimum(n, d, tau):
    """Return the ordered partitions with the most comparisons that keep tau."""
    best, found = -1, []
    for tiers in partitions(list(range(n))):
        pairs = [
            (i, j)
            for a, upper in enumerate(tiers)
            for i in upper
            for t in tiers[a + 1 :]
            for j in t
        ]
        if len(pairs) >= best and all(d[i][j] <= tau for i, j in pairs):
            found = [*found, tiers] if len(pairs) == best else [tiers]
            best = len(pairs)
    return best, found
