"""Stand-ins for data that nobody published: like the genuine ones, and the same from the same seed."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, datasets
from manyjudges.exceptions import DatasetError, ManyJudgesError
from tests.support.messages import refused


def test_made_slices_are_like_the_genuine_ones():
    made = datasets.make_slice(2000, random_state=0)
    values = made.values
    assert made.simulated
    assert values.shape == (2000, 384)
    assert values.min() == -0.25
    assert values.max() <= 1
    assert not ((values < 0) & (values != -0.25)).any()
    assert made.labels.between(0, 110).all()
    assert made.labels.max() > 90
    eight = values.reshape(-1, 48, 8)
    mean = eight.mean(axis=2)
    ratio = eight.var(axis=2).mean(axis=0) / mean.var(axis=0)
    # The genuine 682 + 78 rows: median 4.1, from 1.2 to 8.9; correlations of 0.26 and 0.24 in the median.
    assert 3 < np.median(ratio) < 5
    assert 1 < ratio.min() < ratio.max() < 12
    correlation = np.abs(np.corrcoef(mean.T)[np.triu_indices(48, 1)])
    assert 0.15 < np.median(correlation) < 0.35
    assert 0.6 < (values == 0).mean() < 0.75
    assert 0.08 < (values == -0.25).mean() < 0.2


def test_made_slices_repeat_and_grow():
    one, two = datasets.make_slice(30, random_state=1), datasets.make_slice(30, random_state=1)
    assert np.array_equal(one.values, two.values)
    assert one.labels.equals(two.labels)
    assert not np.array_equal(one.values, datasets.make_slice(30, random_state=2).values)
    assert len(datasets.make_slice(1, random_state=0)) == 1
    with refused(DatasetError, value=0, column="n_objects"):
        datasets.make_slice(0)


@pytest.mark.parametrize(("label", "deviation"), [("height", 0.25), ("weight", 0.18)])
def test_height_and_weight_give_back_the_published_table(label, deviation):
    with resources.files("manyjudges.simulate").joinpath("data/height_weight.csv").open() as file:
        published = pd.read_csv(file).set_index("attribute")
    crowd = datasets.make_height_weight(20_000, label=label, random_state=0)
    drawn = [crowd._population.judge(a, latent, a, crowd._rng) for a, latent in twice(crowd)]
    x = np.stack(drawn).reshape(2, len(crowd.objects), -1).transpose(1, 2, 0)
    moments = Moments.estimate(Judgments.from_array(x, attributes=crowd.attributes), crowd.labels.to_numpy())
    sigma = np.sqrt(np.diag(moments.covariance))
    rows = published.loc[list(crowd.attributes)]
    assert len(rows) == 39
    np.testing.assert_allclose(moments.noise / sigma**2, rows["noise_ratio"], rtol=0.12, atol=0.05)
    scaled = moments.cross / sigma / np.sqrt(moments.label_variance) * deviation
    np.testing.assert_allclose(scaled, rows[label], atol=0.012)
    numeric = rows.index[rows["kind"] == "number"]
    assert crowd.costs == dict.fromkeys(numeric, 4.0)
    assert len(numeric) == 2


def twice(crowd):
    """Each attribute of each object two times, without the table that names them all."""
    n, d = len(crowd.objects), len(crowd.attributes)
    attributes = np.tile(np.arange(d), n)
    return [(attributes, crowd._latent.ravel())] * 2


def test_patients_are_numbered_from_zero_and_lie_in_order_from_low_to_high():
    made = datasets.make_slice(400, random_state=0)
    patients, heights = made.patients, made.labels.to_numpy()
    assert np.unique(patients).tolist() == list(range(patients.max() + 1))
    assert (np.diff(patients) >= 0).all()
    assert (np.diff(heights)[np.diff(patients) == 0] >= 0).all()
    assert np.bincount(patients).mean() > 4


@pytest.mark.parametrize("n_objects", [0, -3, 2.0, True, "many"])
def test_numbers_of_objects_that_make_no_sense(n_objects):
    for make in (datasets.make_slice, datasets.make_height_weight):
        with refused(ManyJudgesError, value=n_objects, column="n_objects"):
            make(n_objects)
