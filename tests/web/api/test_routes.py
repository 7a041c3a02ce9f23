"""The interface for programs: leases, judgments, status; who gets at what."""

from __future__ import annotations

import json
import re
import time

import pytest

from manyjudges.web.security import LARGEST_REQUEST, Limiter
from tests.support.folders import ROOT
from tests.support.web import client, make_study, opened, served


@pytest.fixture
def app(tmp_path):
    study = make_study(tmp_path / "study", n=6)
    with opened(study, order={"muscular-name": 2, "inches-name": 1, "friendly-name": 1}) as app:
        yield app


class Program:
    """A program with its token."""

    def __init__(self, app, name):
        self.token = app.state.store.add_program(name)
        self.client = client(app, headers={"Authorization": f"Bearer {self.token}"})

    def lease(self, worker="model", **asked):
        return self.client.post("/api/v1/leases", json={"worker": worker, **asked})

    def submit(self, lease, answers, **more):
        return self.client.post(f"/api/v1/leases/{lease}/judgments", json={"answers": answers, **more})


@pytest.fixture
def program(app):
    return Program(app, "robots")


def test_a_batch_is_leased_judged_and_counted(app, program):
    batch = program.lease(attribute="muscular-name", size=4).json()
    assert (batch["attribute"], batch["question"]) == ("muscular-name", "Is this person muscular?")
    assert (batch["worker"], batch["state"], len(batch["items"])) == ("model", "out", 4)
    answers = [{"position": n, "value": [1, 0, True, "no"][n]} for n in range(4)]
    receipt = program.submit(batch["id"], answers, seconds=8.0).json()
    assert receipt == {"accepted": 4, "repeated": 0, "corrected": 0, "late": 0, "returned": 0, "earned": 4.0}
    assert sorted(app.state.store.judgments()["value"]) == [0.0, 0.0, 1.0, 1.0]
    assert program.submit(batch["id"], answers).json()["repeated"] == 4  # harmless
    assert program.submit(batch["id"], [{"position": 1, "value": 1}]).json()["corrected"] == 1
    seen = program.client.get(f"/api/v1/leases/{batch['id']}").json()
    assert [item["value"] for item in seen["items"]] == [1.0, 1.0, 1.0, 0.0]
    assert seen["state"] == "done"
    worker = app.state.store.find_worker("robots:model")
    assert (worker.source, worker.judged) == ("program", 4)
    assert app.state.store.ledger()["seconds"].iloc[0] == 2.0


def test_cant_tell_is_recorded_as_such(app, program):
    batch = program.lease(attribute="inches-name").json()
    answers = [{"position": 0, "cant_tell": True}, {"position": 1, "value": "70,5"}]
    receipt = program.submit(batch["id"], answers).json()
    assert (receipt["accepted"], receipt["returned"]) == (2, 4)
    assert app.state.store.judgments()["value"].tolist() == [70.5]
    assert app.state.store.progress().set_index("attribute").loc["inches-name", "cant_tell"] == 1


def test_labels_never_reach_a_program(app, program):
    text = (
        program.lease().text + program.client.get("/api/v1/attributes").text + program.client.get("/api/v1/status").text
    )
    assert not re.search(r"9[78]\d\.125", text)
    assert '"label"' not in text


def test_the_same_worker_gets_the_same_batch_until_it_is_done(program):
    one, two = program.lease().json(), program.lease().json()
    assert one["id"] == two["id"]
    assert program.lease("another").json()["id"] != one["id"]


def test_no_work_is_204_with_a_time_to_wait(app, program):
    app.state.store.pause()
    answer = program.lease()
    assert (answer.status_code, answer.content) == (204, b"")
    assert int(answer.headers["retry-after"]) > 0


def test_a_batch_can_be_handed_back(program):
    batch = program.lease().json()
    answer = program.client.delete(f"/api/v1/leases/{batch['id']}")
    assert answer.json() == {"released": True}
    assert program.client.delete(f"/api/v1/leases/{batch['id']}").json() == {"released": False}
    assert program.client.get(f"/api/v1/leases/{batch['id']}").json()["state"] == "released"


def test_pictures_take_the_token_too(app, program):
    batch = program.lease().json()
    address = batch["items"][0]["image"]
    assert address == f"/api/v1/leases/{batch['id']}/items/0/image"
    picture = program.client.get(address)
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert client(app).get(address).status_code == 401
    assert program.client.get(address.replace("items/0", "items/99")).status_code == 404
    assert program.client.get(address.replace("items/0", "items/-1")).status_code == 422


def test_programs_do_not_reach_each_others_batches_nor_those_of_people(app, program):
    other = Program(app, "others")
    batch = program.lease().json()
    person = app.state.store.enter("open", "ann")
    leased = app.state.store.lease(person.id)
    tries = [(other, batch["id"]), (other, f"{person.id}-{leased.id}"), (program, f"{person.id}-{leased.id}")]
    tries += [(program, batch["id"][:-1] + "!"), (program, "0-x"), (program, f"999999999999999-{leased.id}")]
    tries += [(other, re.sub(r"^\d+", str(person.id), batch["id"]))]
    for who, lease in tries:
        for answer in (
            who.client.get(f"/api/v1/leases/{lease}"),
            who.client.delete(f"/api/v1/leases/{lease}"),
            who.submit(lease, [{"position": 0, "value": 1}]),
            who.client.get(f"/api/v1/leases/{lease}/items/0/image"),
        ):
            assert answer.status_code == (422 if "!" in lease else 404), lease
    assert len(app.state.store.judgments()) == 0


def test_names_of_programs_cannot_be_made_to_clash(app):
    one, two = Program(app, "a"), Program(app, "a:b")
    first, second = one.lease("b:c").json(), two.lease("c").json()
    assert first["id"].split("-")[0] != second["id"].split("-")[0]
    assert (first["worker"], second["worker"]) == ("b:c", "c")
    assert one.client.get(f"/api/v1/leases/{second['id']}").status_code == 404
    assert two.client.get(f"/api/v1/leases/{first['id']}").status_code == 404


@pytest.mark.parametrize(
    "header", [None, "Bearer wrong", "Basic dTpw", "Bearer", "Bearer \xe9", "Bearer " + "x" * 5000]
)
def test_without_a_token_nothing_is_said(app, header):
    visitor = client(app, headers={} if header is None else {"Authorization": header.encode("latin-1")})
    for answer in (
        visitor.get("/api/v1/status"),
        visitor.get("/api/v1/attributes"),
        visitor.post("/api/v1/leases", json={"worker": "a"}),
        visitor.get("/api/v1/leases/1-a"),
        visitor.delete("/api/v1/leases/1-a"),
        visitor.get("/api/v1/leases/1-a/items/0/image"),
    ):
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "token" in answer.json()["detail"]


def test_a_revoked_token_holds_no_more(app, program):
    app.state.store.revoke_program("robots")
    assert program.lease().status_code == 401


def test_a_blocked_worker_gets_403(app, program):
    batch = program.lease().json()
    app.state.store.block(app.state.store.find_worker("robots:model").id, "test")
    assert program.lease().status_code == 403
    assert program.submit(batch["id"], [{"position": 0, "value": 1}]).status_code == 403


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([{"position": 0, "value": 1000}], "position 0: 1000 as an answer for 'inches-name' is out of range"),
        ([{"position": 0, "value": 60}, {"position": 9, "value": 60}], "position 9: there is no item 9"),
        ([{"position": 1, "value": 60}, {"position": 1, "value": 61}], "position 1: item 1 is answered twice"),
        ([{"position": 0}], "either a value or cant_tell"),
        ([{"position": 0, "value": 60, "cant_tell": True}], "either a value or cant_tell"),
        ([{"position": 0, "value": "tall"}], "position 0: 'tall'"),
        ([{"position": 0, "value": [1]}], ""),
        ([], ""),
        ([{"position": 0, "value": 60, "extra": 1}], ""),
    ],
)
def test_answers_that_are_none_are_named(app, program, answers, said):
    batch = program.lease(attribute="inches-name").json()
    answer = program.submit(batch["id"], answers)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert any(said in each["msg"] for each in detail)
    assert detail[0]["loc"][:2] == ["body", "answers"]
    assert len(app.state.store.judgments()) == 0  # all or nothing


@pytest.mark.parametrize(
    "body",
    [
        '{"answers": [{"position": 0, "value": NaN}]}',
        '{"answers": [{"position": 0, "value": "\\ud800"}]}',
        "{",
        "[]",
        "",
    ],
)
def test_what_json_cannot_say_is_refused_without_breaking(program, body):
    batch = program.lease(attribute="inches-name").json()
    answer = program.client.post(
        f"/api/v1/leases/{batch['id']}/judgments", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422
    assert json.loads(answer.text)["detail"]


@pytest.mark.parametrize(
    "asked",
    [{"worker": ""}, {"worker": "a\x00b"}, {"worker": "a" * 101}, {"worker": "a", "attribute": "unknown"}, {},
     {"worker": "a", "size": 0}, {"worker": "a", "size": 10**9}, {"worker": "\ud800"}],
)  # fmt: skip
def test_odd_requests_for_work_are_refused(app, program, asked):
    answer = program.client.post("/api/v1/leases", content=json.dumps(asked))
    assert answer.status_code == 422
    assert app.state.store.workers() == []


def test_too_much_and_too_often(app, program):
    answer = program.client.post("/api/v1/leases", content=b"x" * (LARGEST_REQUEST + 1))
    assert answer.status_code == 413
    object.__setattr__(app.state.limits, "api", Limiter(2, 60))
    answers = [program.client.get("/api/v1/status") for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_status_and_attributes(program):
    status = program.client.get("/api/v1/status").json()
    assert (status["state"], status["spent"]) == ("running", 0.0)
    assert {row["attribute"]: row["open"] for row in status["attributes"]} == {
        "muscular-name": 12,
        "inches-name": 6,
        "friendly-name": 6,
    }
    asked = {each["name"]: each for each in program.client.get("/api/v1/attributes").json()}
    assert asked["inches-name"]["range"] == [40.0, 90.0]
    assert asked["inches-name"]["unit"] == "inches"
    assert asked["muscular-name"] | {"help": ""} == {
        "name": "muscular-name", "question": "Is this person muscular?", "kind": "binary", "range": None, "unit": None,
        "cost": 1.0, "help": "", "cant_tell": False, "labels": [], "whole": False,
        "example": "A weight-lifter is muscular; a child is not.",
    }  # fmt: skip
    lease = program.lease(attribute="friendly-name").json()
    assert (lease["labels"], lease["whole"], lease["example"]) == (["not at all", "very"], False, None)
    assert {name: lease[name] for name in asked["friendly-name"] if name not in ("name", "cost")} == {
        name: value for name, value in asked["friendly-name"].items() if name not in ("name", "cost")
    }


def test_cant_tell_is_refused_where_it_is_not_offered(app, program):
    batch = program.lease(attribute="muscular-name").json()
    refused = program.submit(batch["id"], [{"position": 2, "cant_tell": True}])
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["msg"].startswith("position 2: 'muscular-name' takes no cant_tell")
    assert len(app.state.store.ledger()) == 0
    (app.state.records[batch["items"][2]["object"]].image).unlink()
    assert program.submit(batch["id"], [{"position": 2, "cant_tell": True}]).json()["accepted"] == 1  # nothing to see


def test_an_unknown_attribute_is_named_with_the_known_ones(program):
    said = program.lease(attribute="<height>").json()["detail"][0]["msg"]
    assert "'<height>'" in said
    assert all(name in said for name in ("'muscular-name'", "'inches-name'", "'friendly-name'"))


def test_the_description_is_complete_and_only_of_the_interface(app):
    found = client(app).get("/api/openapi.json").json()
    assert all(path.startswith("/api/v1/") for path in found["paths"])
    for path in found["paths"].values():
        for operation in path.values():
            assert {"401", "413", "429", "503"} <= set(operation["responses"])
            assert operation["security"] == [{"HTTPBearer": []}]
    assert client(app).get("/docs").status_code == 404


def test_the_example_of_the_documentation_works(app, monkeypatch, capsys):
    page = (ROOT / "docs" / "json-interface.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page, flags=re.DOTALL)[1]
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setenv("TOKEN", app.state.store.add_program("documented"))
    monkeypatch.setenv("BATCHES", "2")
    app.state.store.order([(record.name, "muscular-name", 1) for record in app.state.objects.records])
    with served(app) as site:
        monkeypatch.setenv("SITE", site)
        names = {}
        exec(compile(example, "json-interface.md", "exec"), names)
        names["client"].close()
    assert "'accepted': 6" in capsys.readouterr().out
    assert waited[-1:] == [30]
