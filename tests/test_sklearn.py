"""The scikit-learn estimator: its own checks, fairness of its labels, pipelines."""

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import fairopt
from fairopt.sklearn import FairKMeans

# Repeated samples draw other starts than weights do, as with scikit-learn's own KMeans.
DRAWN = {"check_sample_weight_equivalence_on_dense_data": "random starts"}


@parametrize_with_checks(
    [FairKMeans(n_clusters=3, options={"starts": 2}, method="fca")],
    expected_failed_checks=lambda _: DRAWN,
)
def test_estimator_checks(estimator, check):
    check(estimator)


def strip(n=60):
    """Return points and groups that lie apart."""
    rng = np.random.default_rng(0)
    groups = np.array(["r", "b"] * (n // 2))
    return rng.normal(size=(n, 2)) + 3.0 * (groups == "r")[:, None], groups


def test_labels_are_fair_and_predict_is_nearest():
    points, groups = strip()
    strict = {"type": "proportional", "rounding": "strict"}
    model = FairKMeans(3, fairness=strict, random_state=0).fit(points, groups=groups)
    for c in range(len(model.cluster_centers_)):
        assert np.sum(groups[model.labels_ == c] == "r") == np.sum(
            groups[model.labels_ == c] == "b"
        )
    table = ((points[:, None] - model.cluster_centers_[None]) ** 2).sum(2)
    assert model.predict(points).tolist() == table.argmin(1).tolist()
    assert model.inertia_ == pytest.approx(table[np.arange(60), model.labels_].sum())
    assert not model.bound_ > model.inertia_ * (1 + 1e-9)
    assert model.transform(points) == pytest.approx(np.sqrt(table))
    assert model.score(points) == pytest.approx(-table.min(1).sum())


def test_no_groups_is_plain_kmeans():
    points, _ = strip()
    model = FairKMeans(2, method="kmeans", random_state=0).fit(points)
    assert model.labels_.tolist() == model.predict(points).tolist()


def test_pipeline_and_several_attributes():
    points, groups = strip()
    both = {"one": groups, "two": np.roll(groups, 1)}
    pipeline = make_pipeline(StandardScaler(), FairKMeans(2, random_state=1))
    pipeline.fit(points, fairkmeans__groups=both)
    direct = FairKMeans(2, random_state=1).fit(StandardScaler().fit_transform(points), groups=both)
    assert pipeline[-1].labels_.tolist() == direct.labels_.tolist()
    assert pipeline.predict(points[:5]).shape == (5,)


def test_metadata_routing():
    import sklearn

    points, groups = strip()
    with sklearn.config_context(enable_metadata_routing=True):
        last = FairKMeans(2, random_state=1).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), last).fit(points, groups=groups)
    assert len(pipeline[-1].labels_) == len(points)


def test_weights_are_a_soft_condition():
    points, groups = strip(20)
    model = FairKMeans(2, random_state=0).fit(points, groups=groups, sample_weight=np.ones(20) * 2)
    assert model.solution_.answer.labels.shape == (20,)


def test_nothing_fair_is_an_error():
    points, groups = strip(20)
    model = FairKMeans(2, fairness={"type": "bounds", "lower": {"group": {"r": 0.9}}})
    with pytest.raises(fairopt.MethodError, match="no fair clustering"):
        model.fit(points, groups=groups)


def test_samples_of_weight_zero_count_for_nothing():
    points, groups = strip(20)
    weights = np.array([1.0] * 16 + [0.0] * 4)
    one = FairKMeans(2, random_state=0).fit(points, groups=groups, sample_weight=weights)
    less = (points[:16], groups[:16], weights[:16])
    two = FairKMeans(2, random_state=0).fit(less[0], groups=less[1], sample_weight=less[2])
    assert one.cluster_centers_ == pytest.approx(two.cluster_centers_)
    assert one.labels_.tolist() == [*two.labels_.tolist(), *two.predict(points[16:]).tolist()]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"groups": list("rb")}, "groups: expected 20"),
        ({"groups": {"sex": list("r")}}, "groups.sex"),
        ({"sample_weight": np.full(20, -1.0)}, "sample_weight"),
        ({"sample_weight": np.zeros(20)}, "zero"),
        ({"sample_weight": np.ones(3)}, "shape"),
    ],
)
def test_bad_input_names_the_argument(more, words):
    points, _ = strip(20)
    with pytest.raises(ValueError, match=words):
        FairKMeans(2).fit(points, **more)
