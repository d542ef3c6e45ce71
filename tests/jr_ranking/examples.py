"""The worked examples of the literature and of enumeration, as contents of instance files."""

E1 = {
    "comments": 5, "k": 2, "scores": [10, 9, 1, 2, 8],
    "approvals": [[0, 1], [0, 1], [0, 1], [2], [2], [3, 4]],
}  # fmt: skip
E2 = {
    "comments": 6, "k": 3, "scores": [1, 1, 1, 1, 5, 4],
    "approvals": [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [4], [5]],
}  # fmt: skip
E3 = {
    "comments": 9, "k": 5, "scores": [34, 13, 23, 42, 19, 31, 30, 38, 23],
    "approvals": [
        [1, 4, 8], [1, 4, 6, 8], [1, 6, 8], [1, 4, 6, 8], [4], [1, 4, 6, 8], [1, 2, 4], [1, 2],
        [2, 4], *[[1, 2, 5]] * 6,
    ],
}  # fmt: skip
E4 = {
    "comments": 6, "k": 4, "scores": "approvals",
    "approvals": [[0, 1, 2, 3], [0, 1, 2, 3], [4], [5]],
}  # fmt: skip
E5 = {
    "comments": 4, "k": 3, "scores": [3, 2, 1, 9],
    "approvals": [[0], [0], [1], [1], [2], [2]],
}  # fmt: skip
E6 = {
    "comments": 7, "k": 4, "mode": "ranking", "position_weights": [4, 3, 2, 1],
    "scores": [13, 28, 20, 15, 25, 6, 18],
    "approvals": [[5], [5], [5], [5], [0, 2], [0, 5], [0], [0, 1], [2], [5]],
}  # fmt: skip
E8 = {"comments": 1, "k": 1, "approvals": [[0]]}
