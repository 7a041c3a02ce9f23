"""Services by name: which one a model of a study is asked by."""

from __future__ import annotations

import asyncio

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.llm import registry
from manyjudges.llm.asker import Asker
from manyjudges.llm.openai_service import OpenAIService
from tests.support.llm_study import MODELS, llm_study
from tests.support.messages import refused


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")


async def connected(study, records):
    async with Asker(study, records) as asker:
        return type(asker._clients["small"].service)


def test_a_model_is_asked_by_the_service_that_it_names(tmp_path):
    for folder, models in (("one", MODELS), ("two", MODELS + 'service = "openai"\n')):
        study, records = llm_study(tmp_path / folder, models=models)
        assert study.models[0].service == "openai"
        assert asyncio.run(connected(study, records)) is OpenAIService


def test_a_service_that_there_is_not_is_named_before_anything_is_asked(tmp_path):
    study, records = llm_study(tmp_path, models=MODELS + 'service = "opennai"\n')
    with refused(StudyError, value="opennai", column="service"):
        asyncio.run(connected(study, records))
    with refused(StudyError, value="opennai"):
        registry.connect(study, study.models[0])
