"""Dashboard: the researcher's page, what its buttons do, and the part of it that moves."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from manyjudges.base.formatting import plural
from manyjudges.exceptions import ManyJudgesError, StoreUnavailableError
from manyjudges.web.pages import allowed_marketplaces, page
from manyjudges.web.researcher import login, overview
from manyjudges.web.researcher.cached import Cached
from manyjudges.web.researcher.downloads import as_csv, attached, frame_as_csv
from manyjudges.web.researcher.login import to
from manyjudges.web.security import TOKEN_PATTERN, Form

if TYPE_CHECKING:
    from manyjudges.store.records import Worker

router = APIRouter(include_in_schema=False)
router.include_router(login.router)
inside = APIRouter(prefix="/admin", include_in_schema=False, dependencies=[Depends(login.required)])


_EVENTS = 60
"""Entries of the log that are shown."""

_MOST_LINKS = 1000
"""Personal links that can be made at once."""

_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
_making = threading.Lock()


@dataclass(frozen=True)
class _Numbers:
    """What the page shows, kept between requests.

    Attributes
    ----------
    moving : Cached
        What the store counts.
    crowd : Cached
        Workers, which takes all judgments.
    """

    moving: Cached[dict[str, Any]]
    crowd: Cached[list[dict[str, Any]]]


def _numbers(request: Request) -> _Numbers:
    """The numbers of this application; made at the first use."""
    state = request.app.state
    with _making:
        if not hasattr(state, "numbers"):
            state.numbers = _Numbers(
                Cached(lambda: overview.moving(state.study, state.store), least=1.0),
                Cached(lambda: overview.crowd(state.hooks.workforce(), state.store.workers()), least=5.0),
            )
    return state.numbers  # type: ignore[no-any-return]  # starlette's state holds anything


def _live(request: Request) -> dict[str, Any]:
    """The values of the part that moves."""
    store, cached = request.app.state.store, _numbers(request)
    moving, events = cached.moving.get(), store.events(_EVENTS)
    return moving | {
        "state": store.state,
        "crowd": cached.crowd.soon(),
        "failed": overview.planning_failed(moving["position"]["stage"], events),
        "events": [event | {"at": overview.moment(event["at"])} for event in events],
    }


@inside.get("")
def show(request: Request) -> Response:
    """The page."""
    state = request.app.state
    return page(
        request,
        "dashboard.html.jinja",
        **_live(request),
        notice=request.session.pop("notice", None),
        programs=state.store.programs(),
        problems=state.objects.problems,
        marketplaces=allowed_marketplaces(request),
        site=_site(request),
        most_links=_MOST_LINKS,
    )


@router.get("/admin/live")
def live(request: Request) -> Response:
    """The part of the page that moves."""
    if not login.is_logged_in(request):
        raise HTTPException(403)  # a script that asks is not led to another page
    return page(request, "dashboard_live.html.jinja", **_live(request))


# Buttons


@inside.post("/pause")
def pause(request: Request, form: Form) -> Response:
    """Hand out nothing for a while."""
    message = "Paused. Nothing is handed out; what judges have in hand may still come in."
    return _done(request, request.app.state.store.pause, message)


@inside.post("/resume")
def resume(request: Request, form: Form) -> Response:
    """Go on handing out."""
    return _done(request, request.app.state.store.resume, "Going on. Judges get work again.")


@inside.get("/replan")
def ask_to_replan(request: Request) -> Response:
    """Ask once more before the pilot is cut short."""
    store = request.app.state.store
    counts = store.progress()
    target = int(counts["wanted"].sum())
    came = target - int(counts["out"].sum() + counts["open"].sum())
    if store.position()["stage"] != "pilot" or came >= target:
        return to("/admin")
    return _confirm(
        request,
        heading="Plan before the pilot is complete?",
        text=f"The pilot is not complete: {came:,} of {plural(target, 'judgment')} came. A plan made now knows little "
        "about attributes that were judged seldom, and what is open of the pilot is no longer asked for unless the "
        "plan wants it.",
        button="Plan with what came",
    )


@inside.post("/replan")
def replan(request: Request, form: Form) -> Response:
    """Plan anew, in the background."""
    message = "A new plan is being worked out. It appears below when it is ready."
    return _done(request, request.app.state.hooks.replan, message)


@inside.get("/close")
def ask_to_close(request: Request) -> Response:
    """Ask once more before the end."""
    return _confirm(
        request,
        heading="Close the campaign for good?",
        text="Judges get no more work, from now on and for ever. What they have in hand may still come in. "
        "All judgments are kept: you can still fit a predictor and export everything.",
        button="Close the campaign",
    )


@inside.post("/close")
def close(request: Request, form: Form) -> Response:
    """Close the campaign for good."""
    return _done(request, request.app.state.store.shut, "The campaign is closed.")


@inside.get("/workers/{name}/{action}")
def ask_about_worker(request: Request, name: str, action: Literal["block", "withdraw"]) -> Response:
    """Ask once more before somebody is blocked or withdrawn."""
    worker = _worker(request, name)
    judged = plural(worker.judged, "answer")
    questions = {
        "block": (
            f"Block {worker.name}?",
            f"This worker, who gave {judged}, gets no more work. What was judged so far stays and counts.",
            "Block this worker",
        ),
        "withdraw": (
            f"Withdraw all judgments of {worker.name}?",
            f"The {judged} of this worker count no more, and the name that the worker came with is forgotten. "
            "This cannot be undone. What the plan then lacks is asked for after the next planning; Replan now plans.",
            "Withdraw all judgments",
        ),
    }
    heading, text, button = questions[action]
    return _confirm(request, heading=heading, text=text, button=button)


@inside.post("/workers/{name}/{action}")
def change_worker(request: Request, name: str, action: Literal["block", "withdraw"], form: Form) -> Response:
    """Block a worker, or withdraw what one said."""
    worker, store = _worker(request, name), request.app.state.store
    if action == "block":
        return _done(request, lambda: store.block(worker.id, "by the researcher"), f"{worker.name} gets no more work.")
    return _done(request, lambda: store.withdraw(worker.id), f"All judgments of {worker.name} are withdrawn.")


# Files


@inside.post("/export/{kind}")
def export(request: Request, kind: Literal["csv", "parquet"], form: Form) -> Response:
    """All judgments that count, as a file."""
    return _try(
        request, lambda: attached(request.app.state.hooks.export(kind), f"judgments.{kind}", _MEDIA_TYPES[kind])
    )


@inside.post("/bonuses.csv")
def bonuses(request: Request, form: Form) -> Response:
    """Whom to pay more."""
    hooks = request.app.state.hooks
    return _try(request, lambda: attached(frame_as_csv(hooks.bonuses()), "bonuses.csv", _MEDIA_TYPES["csv"]))


@inside.post("/fit")
def fit(request: Request, form: Form) -> Response:
    """Fit a predictor to what there is, and show it."""

    def work() -> Response:
        request.app.state.fitted = fitted = request.app.state.hooks.fit()
        folder = shlex.quote(request.app.state.study.folder.resolve().name)
        return page(request, "fitted.html.jinja", 200, None, folder=folder, **overview.fitted(fitted))

    return _try(request, work)


@inside.post("/model.json")
def model(request: Request, form: Form) -> Response:
    """The predictor that was fitted last, or one fitted now, as a file that ``manyjudges predict`` reads."""

    def work() -> Response:
        fitted = getattr(request.app.state, "fitted", None) or request.app.state.hooks.fit()
        return attached(fitted["model"].encode(), "model.json", "application/json")

    return _try(request, work)


# Links and tokens, which are shown once


@inside.post("/invite")
def invite(request: Request, form: Form) -> Response:
    """Make personal links, and show them this once."""
    count, state = str(form.get("count", "")).strip(), request.app.state
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:9]) <= _MOST_LINKS:
        return _say(
            request, f"Ask for a whole number of links from 1 to {_MOST_LINKS:,}, not {count[:40]!r}.", bad=True
        )

    def work() -> Response:
        tokens = state.store.invite(int(count), days=state.study.entry.link_days)
        links = [(token, f"{_site(request)}/w/{token}") for token in tokens]
        return page(request, "links.html.jinja", links=links, days=state.study.entry.link_days)

    return _try(request, work)


@inside.post("/links.csv")
def links(request: Request, form: Form) -> Response:
    """The links that the page shows, as a file."""
    tokens = [token for token in form.getlist("token") if isinstance(token, str) and TOKEN_PATTERN.fullmatch(token)]
    rows = [(number, f"{_site(request)}/w/{token}") for number, token in enumerate(tokens, start=1)]
    return attached(as_csv(["number", "link"], rows), "links.csv", _MEDIA_TYPES["csv"])


@inside.post("/programs")
def add_program(request: Request, form: Form) -> Response:
    """Make a token for a program, and show it this once."""
    name = " ".join(str(form.get("name", "")).split())

    def work() -> Response:
        token = request.app.state.store.add_program(name)
        request.app.state.store.note("program added", name)
        return page(request, "token.html.jinja", program=name, token=token, site=_site(request))

    return _try(request, work)


@inside.post("/programs/revoke")
def revoke_program(request: Request, form: Form) -> Response:
    """Let a program in no more."""
    name, store = str(form.get("name", "")), request.app.state.store

    def work() -> None:
        store.revoke_program(name)
        store.note("program revoked", name)

    return _done(request, work, f"The token of {name} holds no more.")


def _site(request: Request) -> str:
    """How judges reach this server."""
    return (request.app.state.study.server.address or str(request.base_url)).rstrip("/")


def _worker(request: Request, name: str) -> Worker:
    worker: Worker | None = request.app.state.store.find_worker(name)
    if worker is None or worker.name != name:  # only pseudonyms stand in addresses
        raise HTTPException(404)
    return worker


def _confirm(request: Request, heading: str, text: str, button: str) -> Response:
    values = {"heading": heading, "text": text, "button": button, "action": request.url.path}
    return page(request, "confirm.html.jinja", 200, None, **values)


def _say(request: Request, text: str, *, bad: bool = False) -> Response:
    """Back to the page, with something to say on it once."""
    request.session["notice"] = {"text": text[:600], "bad": bad}
    return to("/admin")


def _try(request: Request, work: Callable[[], Response]) -> Response:
    """Do something, and say so where it cannot be done; a lost database is another matter."""
    try:
        return work()
    except StoreUnavailableError:
        raise
    except ManyJudgesError as error:
        return _say(request, f"That cannot be done: {error}", bad=True)


def _done(request: Request, work: Callable[[], Any], text: str) -> Response:
    def done() -> Response:
        work()
        cached = _numbers(request)
        cached.moving.forget()
        cached.crowd.forget()
        return _say(request, text)

    return _try(request, done)


router.include_router(inside)
