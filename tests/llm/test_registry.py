"""Services by name: which one a model of a study is asked by."""

from __future__ import annotations

import asyncio

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.llm import registry
from manyjudges.llm.asker import Asker
from manyjudges.llm.openai_service import OpenAIService
from manyjudges.service.study import open_study
from tests.support.llm_study import MODELS, llm_study
from tests.support.messages import refused


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")


async def connected(study, records):
    async with Asker(study, records) as asker:
        return type(asker._clients["small"].service)


def test_a_model_is_asked_by_the_service_that_it_names(tmp_path):
    for folder, models, service in (("one", MODELS, None), ("two", MODELS + 'service = "openai"\n', "openai")):
        study, records = llm_study(tmp_path / folder, models=models)
        assert study.models[0].service == service
        assert asyncio.run(connected(study, records)) is OpenAIService


def test_a_service_that_there_is_not_is_named_before_anything_is_asked(tmp_path):
    study, records = llm_study(tmp_path, models=MODELS + 'service = "opennai"\n')
    with refused(StudyError, value="opennai", column="service"):
        asyncio.run(connected(study, records))
    with refused(StudyError, value="opennai"):
        registry.connect(study, study.models[0])


@pytest.mark.parametrize("service", ["", 'service = "openai"\n'])
def test_options_that_every_request_has_are_refused_with_their_line(tmp_path, service):
    models = MODELS + service + "options = { seed = 1, messages = [], n = 2 }\n"
    study, _ = llm_study(tmp_path, models=models)
    line = (tmp_path / "study.toml").read_text(encoding="utf-8").splitlines().index(models.splitlines()[-1]) + 1
    file = str(tmp_path / "study.toml")
    with refused(StudyError, value=study.models[0].options, row=line, column="models.options", file=file):
        registry.check_options(study)
    with refused(StudyError, value=study.models[0].options, row=line, column="models.options", file=file):
        open_study(tmp_path)


def test_options_that_a_service_leaves_open_are_taken(tmp_path):
    study, _ = llm_study(tmp_path, models=MODELS + "options = { seed = 1, top_p = 0.5 }\n")
    registry.check_options(study)
    unknown, _ = llm_study(tmp_path, models=MODELS + 'service = "opennai"\noptions = { n = 1 }\n')
    registry.check_options(unknown)  # connecting says that there is no such service
