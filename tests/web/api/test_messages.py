"""Messages between programs and the server: nothing is turned into what it is not, and every example is one."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError

from manyjudges.web.api import messages
from manyjudges.web.api.messages import MOST_ITEMS, ApiRequest, BatchAnswers, ItemAnswer, LeaseRequest

MODELS = [each for each in vars(messages).values() if isinstance(each, type) and issubclass(each, BaseModel)]
MODELS = [each for each in MODELS if each not in (BaseModel, ApiRequest)]
REQUESTS = [each for each in MODELS if issubclass(each, ApiRequest)]


def example_of(model):
    """A message made of the examples of its fields; messages within it are not examples of their own."""
    return {name: field.examples[0] for name, field in model.model_fields.items() if field.examples}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_the_examples_in_the_description_are_messages(model):
    example = example_of(model)
    for name, field in model.model_fields.items():
        if name not in example:  # a list of other messages
            example[name] = [example_of(get_args(field.annotation)[0])]
    message = model.model_validate(example)
    assert message.model_dump(exclude_unset=True) == example
    assert model.model_validate_json(message.model_dump_json()) == message


@pytest.mark.parametrize("model", REQUESTS, ids=lambda model: model.__name__)
def test_a_field_that_there_is_not_is_refused(model):
    example = example_of(model)
    model.model_validate(example)
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        model.model_validate(example | {"position_": 1})


@pytest.mark.parametrize("value", [True, False, 1, 0, 1.0, -2.5, "1", "", None])
def test_a_value_stays_of_the_type_that_it_came_as(value):
    for answer in (
        ItemAnswer(position=0, value=value),
        ItemAnswer.model_validate_json(json.dumps({"position": 0, "value": value})),
    ):
        assert (type(answer.value), answer.value) == (type(value), value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": "0", "value": 1},
        {"position": 0.0, "value": 1},
        {"position": True, "value": 1},
        {"position": -1, "value": 1},
        {"position": 0, "value": [1]},
        {"position": 0, "value": {"a": 1}},
        {"position": 0, "cant_tell": 1},
        {"position": 0, "cant_tell": "true"},
        {"value": 1},
    ],
    ids=str,
)
def test_answers_that_are_none(wrong):
    with pytest.raises(ValidationError):
        ItemAnswer.model_validate(wrong)


def test_a_batch_of_answers_has_some_and_not_too_many():
    answers = [{"position": 0, "value": 1}]
    assert len(BatchAnswers.model_validate({"answers": answers * MOST_ITEMS}).answers) == MOST_ITEMS
    for wrong in ([], answers * (MOST_ITEMS + 1)):
        with pytest.raises(ValidationError, match="answers"):
            BatchAnswers.model_validate({"answers": wrong})
    for seconds in (-1, float("nan"), float("inf"), 1e8, "1"):
        with pytest.raises(ValidationError, match="seconds"):
            BatchAnswers.model_validate({"answers": answers, "seconds": seconds})


@pytest.mark.parametrize("worker", ["model-a", "模型 1", "a b", "x" * 100])
def test_names_of_workers_may_be_anything_that_can_be_printed(worker):
    assert LeaseRequest.model_validate({"worker": worker}).worker == worker


@pytest.mark.parametrize("worker", ["", "x" * 101, "a\nb", "a\x7fb", "a\x85b", 7, None])
def test_names_of_workers_that_cannot(worker):
    with pytest.raises(ValidationError, match="worker"):
        LeaseRequest.model_validate({"worker": worker})
