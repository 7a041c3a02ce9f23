"""The interface for programs, fuzzed: whatever is sent, it answers as its description says, and never breaks."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.web import make_study, opened

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import CHECKS, load_all_checks

load_all_checks()

LEASE = "/api/v1/leases/{id}"
OPERATIONS = [
    ("POST", "/api/v1/leases"),
    ("GET", LEASE),
    ("DELETE", LEASE),
    ("POST", f"{LEASE}/judgments"),
    ("GET", f"{LEASE}/items/{{position}}/image"),
    ("GET", "/api/v1/status"),
    ("GET", "/api/v1/attributes"),
]
# An id that follows the pattern is still nobody's (404), and a value that is a number may be out of range (422); a
# lease that was handed back can still be looked at, as its state says.
LEFT_OUT = {"positive_data_acceptance", "use_after_free", "ensure_resource_availability"}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """The application with its description, a token that holds, and a lease."""
    study = make_study(tmp_path_factory.mktemp("fuzz") / "study", n=8)
    with opened(study, order={"muscular-name": 3, "inches-name": 3, "friendly-name": 3}) as app:
        app.state.limits.api.rate = 10**9
        store = app.state.store
        token, worker = store.add_program("fuzz"), store.enter("program", "fuzz:model")
        batch = store.lease(worker.id, attribute="inches-name", size=4)
        schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
        yield app, schema, {"Authorization": f"Bearer {token}"}, f"{worker.id}-{batch.id}"


def run(fuzzed, method, path, mode, **fixed):
    _, schema, headers, _ = fuzzed
    wanted = [check for name, check in ((c.__name__, c) for c in CHECKS.get_all()) if name not in LEFT_OUT]
    codes = set()

    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    @settings(max_examples=20, suppress_health_check=list(HealthCheck), derandomize=True, deadline=None, database=None)
    def answered(case):
        for name, value in fixed.items():
            case.path_parameters[name] = value
        # Where the wrong thing is the token, ours is not to make it right.
        given = {} if mode is GenerationMode.NEGATIVE and "Authorization" in (case.headers or {}) else headers
        response = case.call_and_validate(headers=given, checks=wanted)
        codes.add(response.status_code)

    answered()
    return codes


def test_all_operations_are_fuzzed(fuzzed):
    _, schema, _, _ = fuzzed
    described = {(each.ok().method.upper(), each.ok().path) for each in schema.get_all_operations()}
    assert described == set(OPERATIONS)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_what_is_sent_rightly_is_answered_as_described(fuzzed, method, path):
    assert max(run(fuzzed, method, path, GenerationMode.POSITIVE)) < 500


@pytest.mark.parametrize(("method", "path"), OPERATIONS[:5])  # the others take nothing that could be wrong
def test_what_is_sent_wrongly_is_refused_as_described(fuzzed, method, path):
    codes = run(fuzzed, method, path, GenerationMode.NEGATIVE)
    assert codes <= {400, 401, 404, 405, 422}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("suffix", ["judgments", "items/{position}/image"])
def test_also_about_a_lease_that_there_is(fuzzed, suffix, mode):
    app, _, _, lease = fuzzed
    codes = run(fuzzed, "POST" if suffix == "judgments" else "GET", f"{LEASE}/{suffix}", mode, id=lease)
    assert max(codes) < 500
    assert 404 not in codes or suffix != "judgments"
    assert app.state.store.discrepancies() == []
