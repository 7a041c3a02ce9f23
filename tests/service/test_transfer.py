"""What a study and the tools in which people judge elsewhere give each other."""

from __future__ import annotations

import pytest

from manyjudges import StudyError
from manyjudges.service.transfer import options_in


class TestOptions:
    def test_each_as_the_kind_of_value_that_it_takes(self):
        assert options_in("mturk", "write", ["per_hit=10", "site=https://example.org"]) == {
            "per_hit": 10,
            "site": "https://example.org",
        }
        assert options_in("spreadsheet", "read", ["workers=no", "sheets=Ann", "sheets=Bob", "heading=2"]) == {
            "workers": False,
            "sheets": ["Ann", "Bob"],
            "heading": 2,
        }
        assert options_in("cleanlab", "write", ["classes=1", "classes=2.5"]) == {"classes": [1.0, 2.5]}
        offered = ["reward=1.50", "minutes=8", "internal_name=jars", "devices=desktop", "approve=yes"]
        assert options_in("prolific", "write", offered) == {
            "reward": "1.50",
            "minutes": 8,
            "internal_name": "jars",
            "devices": ["desktop"],
            "approve": True,
        }
        words = options_in("crowd-kit", "read", ["values=bad=0", "values=a = b=1"])
        assert words == {"values": {"bad": 0.0, "a = b": 1.0}}

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("per_hit", "written NAME=VALUE"),
            ("per_hit=ten", "'ten' is not a whole number"),
            ("perhit=10", "mturk has no option 'perhit'; it has 'site', 'per_hit'. Did you mean 'per_hit'?"),
            ("requests=1", "no option 'requests'"),
        ],
    )
    def test_what_cannot_be_understood(self, given, said):
        with pytest.raises(StudyError) as caught:
            options_in("mturk", "write", [given])
        assert said in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "given", "said"),
        [
            ("crowd-kit", "values=good", "'good' is not a word and its number, such as good=1"),
            ("spreadsheet", "workers=maybe", "'maybe' is not yes or no"),
            ("cleanlab", "classes=low", "'low' is not a number"),
            ("mturk", "object=image", "use --object NAME instead"),
            ("mturk", "rename=a=b", "use --rename OLD=NEW instead"),
            ("prolific", "judgments=file.csv", "use --study STUDY instead"),
        ],
    )
    def test_what_is_no_value_or_given_elsewhere(self, name, given, said):
        with pytest.raises(StudyError) as caught:
            options_in(name, "read", [given])
        assert f"--option {given}" in str(caught.value)
        assert said in str(caught.value)
