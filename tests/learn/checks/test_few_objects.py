from __future__ import annotations

from manyjudges import Moments, simulate
from manyjudges.learn.checks.check import CheckedData, Failed, NotApplicable, Passed
from manyjudges.learn.checks.few_objects import CHECK, OBJECTS_PER_ATTRIBUTE
from tests.support.checks import kinds, warnings_of


def test_few_objects():
    crowd = simulate.gaussian(60, 20, random_state=0)
    (found,) = warnings_of(Moments.estimate(crowd.pilot(3), crowd.labels))
    assert found.kind == "few_objects"
    assert found.values == {"n_objects": 60, "n_attributes": 20, "enough": 100}
    assert "60 objects for 20 attributes" in str(found)
    assert "100 objects or more" in str(found)


def test_thirty_objects_are_the_fewest():
    crowd = simulate.gaussian(30, 2, random_state=0)
    assert kinds(warnings_of(Moments.estimate(crowd.pilot(3)[:29], crowd.labels[:29]))) == ["few_objects"]
    assert warnings_of(Moments.estimate(crowd.pilot(3), crowd.labels)) == ()


def test_a_known_truth_gives_no_concern():
    truth = simulate.gaussian(10, 5, random_state=0).truth
    assert warnings_of(truth) == ()


def outcome(n, d):
    crowd = simulate.gaussian(n, d, random_state=0)
    return CHECK.run(CheckedData.of(Moments.estimate(crowd.pilot(2), crowd.labels)))


def test_five_objects_an_attribute_are_enough():
    assert isinstance(outcome(OBJECTS_PER_ATTRIBUTE * 8, 8), Passed)
    assert isinstance(outcome(OBJECTS_PER_ATTRIBUTE * 8 - 1, 8), Failed)


def test_a_known_truth_has_no_objects_to_count():
    assert isinstance(CHECK.run(CheckedData.of(simulate.gaussian(10, 5, random_state=0).truth)), NotApplicable)
