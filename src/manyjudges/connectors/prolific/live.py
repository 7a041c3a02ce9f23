"""The live Prolific, for those who have an account: a study that leads to our page, who came, and what they are paid.

A study is made as a draft, which costs nothing; money moves when it is published, when submissions are approved, and
when bonuses are paid.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.prolific.drafts import body_of, difference
from manyjudges.connectors.prolific.errors import AGAIN
from manyjudges.connectors.prolific.export import APPROVED, AWAITING, status_of, table
from manyjudges.connectors.prolific.replies import Approved, Bonuses, PostedStudy, bonus_of, needed, posted, submission
from manyjudges.connectors.prolific.service import PROLIFIC_ADDRESS, ProlificService, minor, units
from manyjudges.exceptions import ProlificError

if TYPE_CHECKING:
    from manyjudges.study.config import Study

__all__ = ["Approved", "Bonuses", "PostedStudy", "Prolific", "ProlificError", "fetch", "send"]

_UNPUBLISHED, _PUBLISHING, _PUBLISHED, _SCHEDULED = "UNPUBLISHED", "PUBLISHING", "ACTIVE", "SCHEDULED"
_PAUSED, _REVIEWING, _COMPLETED = "PAUSED", "AWAITING REVIEW", "COMPLETED"
_ONCE = (_PUBLISHING, _PUBLISHED, _SCHEDULED, _PAUSED, _REVIEWING, _COMPLETED)
"""What a study is that has been published."""

_DONE = {
    "PUBLISH": _ONCE,
    "PAUSE": (_PAUSED, _REVIEWING, _COMPLETED),
    "START": (_PUBLISHING, _PUBLISHED, _REVIEWING, _COMPLETED),
    "STOP": (_REVIEWING, _COMPLETED),
}
"""What a study is when there is nothing left to do for an action."""

_BULK = 100
"""How many submissions are approved in one call."""

_LOOK_FIRST = (
    "Do not pay again yet: paying twice pays twice. Look after some minutes whom it was paid to: the column 'bonus' of "
    "submissions(study), or the study's page on Prolific."
)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Prolific:
    """Prolific's service. The API token is taken from the environment variable ``PROLIFIC_TOKEN``, and kept nowhere.

    Parameters
    ----------
    address : str, optional
        Of the service.
    timeout : float
        The most seconds that Prolific may be silent.
    tries : int
        How often to try what can be tried again without harm.
    sleep : callable
        Waits for so many seconds between tries.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        timeout: float = 30.0,
        tries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = ProlificService(address or PROLIFIC_ADDRESS, timeout, tries, sleep)
        self._paid: dict[str, Bonuses] = {}  # what this object handed in, which Prolific shows some minutes later

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._service.address!r})"

    def create(self, study: Study | Mapping[str, Any], **options: Any) -> PostedStudy:
        """Make a draft of a study whose participants judge on the study's page. It costs nothing until it is published.

        Where there is a study of this ``internal_name`` already, none is made, and you get that one.

        Parameters
        ----------
        study : Study or mapping
            As :func:`manyjudges.study.config.read_study` gives it; or the body of a draft, as ``write`` writes it.
        reward : str, int or Decimal
            For one participant, in units of the account's currency, such as ``"1.50"``.
        places : int
            How many participants.
        minutes : int
            How long it takes, as participants read it.
        internal_name : str
            A name of your own for it, which only you see.
        **options
            ``page``, ``code``, ``description``, ``most_minutes``, ``devices``, ``approve``, ``filters`` and
            ``project``; see :class:`manyjudges.connectors.prolific.drafts.StudyTerms`.
        """
        body = body_of(study, options)
        name = body["internal_name"]
        there = self._find_study(name)
        if there is None:
            there = self._made(body)
            return posted(there)
        return self._same(there, body)

    def find(self, internal_name: str) -> PostedStudy | None:
        """The study of this name; None where there is none."""
        study = self._find_study(internal_name)
        return None if study is None else posted(study, already=True)

    def study(self, study: PostedStudy | str) -> PostedStudy:
        """What a study is now."""
        return posted(self._study(_id(study)), already=True)

    def publish(self, study: PostedStudy | str) -> PostedStudy:
        """Show a study to participants; its cost is taken from your balance. One that is published already is fine."""
        return self._move(_id(study), "PUBLISH")

    def pause(self, study: PostedStudy | str) -> PostedStudy:
        """Let nobody new in, until :meth:`start`; who is at work may go on."""
        return self._move(_id(study), "PAUSE")

    def start(self, study: PostedStudy | str) -> PostedStudy:
        """Go on with a study that is paused."""
        return self._move(_id(study), "START")

    def stop(self, study: PostedStudy | str) -> PostedStudy:
        """Let nobody new in for good; places that are left are paid back."""
        return self._move(_id(study), "STOP")

    def submissions(self, study: PostedStudy | str) -> pd.DataFrame:
        """Who has taken part so far.

        Returns
        -------
        DataFrame
            ``submission``, ``participant``, ``status``, ``started``, ``completed`` (in UTC), ``seconds``, ``code``, the
            completion code that was entered, and ``bonus``, what has been paid on top (Decimal).
        """
        replies = self._submissions(_id(study))
        return table([submission(reply) for reply in replies]).assign(
            bonus=pd.Series([bonus_of(reply) for reply in replies], dtype=object)
        )

    def approve(self, study: PostedStudy | str, submissions: str | Iterable[str]) -> Approved:
        """Approve submissions, by their ids; who handed them in is paid. Those approved already are fine.

        Nothing is approved where one of them cannot be: it is of another study, or does not await review.
        """
        name = _id(study)
        ids = list(dict.fromkeys([submissions] if isinstance(submissions, str) else submissions))
        statuses = {str(reply["id"]): status_of(str(reply.get("status"))) for reply in self._submissions(name)}
        for submission_id in ids:
            _check_reviewable(submission_id, statuses.get(submission_id), name)
        done = [submission_id for submission_id in ids if statuses[submission_id] == AWAITING]
        for begin in range(0, len(done), _BULK):
            self._approve(done[begin : begin + _BULK], begin)
        already = tuple(submission_id for submission_id in ids if statuses[submission_id] == APPROVED)
        return Approved(tuple(done), already)

    def bonus(
        self, study: PostedStudy | str, amounts: Mapping[str, str | int | float | Decimal], *, again: bool = False
    ) -> Bonuses:
        """Set up bonuses. Nothing is paid yet: look at it, and hand it to :meth:`pay`.

        Parameters
        ----------
        study : PostedStudy or str
        amounts : mapping
            From participants, or from submissions, to amounts in units of the study's currency:
            ``{"60bf9310e8dec401be6e9615": "0.30"}``; a Series will do.
        again : bool
            Whether to pay those, too, who have had a bonus in this study; otherwise they are left out.
        """
        name = _id(study)
        cents = {
            str(who): minor(amount, f"the bonus of {who}", row=str(who), column="amounts")
            for who, amount in amounts.items()
        }
        had = self._had(name, cents)
        recent = {who for paid in self._paid.values() if paid.study == name for who in paid.amounts}
        already = () if again else tuple(who for who in cents if had[who] or who in recent)
        unpaid = {who: units(amount) for who, amount in cents.items() if who not in already}
        if not unpaid:
            return Bonuses("", name, {}, units(0), already, again)
        body = {"study_id": name, "csv_bonuses": "\n".join(f"{who},{amount:.2f}" for who, amount in unpaid.items())}
        reply = self._service.post(
            "/submissions/bonus-payments/", body, f"set up bonuses in the study {name!r} (nothing was paid)"
        )
        return Bonuses(needed(reply, "id"), name, unpaid, units(reply.get("total_amount")), already, again)

    def pay(self, bonus: Bonuses) -> Bonuses:
        """Pay bonuses that were set up. This moves money, some minutes later, and cannot be undone.

        It is never tried again by itself. Where no reply comes, the error is ``uncertain``, and says how to find out.
        """
        if not bonus.id or bonus.paid:
            return replace(bonus, paid=True)
        if bonus.id in self._paid:
            raise ProlificError(
                f"the bonus {bonus.id!r} was handed in before, and may be paid. {_LOOK_FIRST}",
                uncertain=True,
                value=bonus.id,
            )
        self._check_unpaid(bonus)
        doing = f"pay the bonus {bonus.id!r} of {len(bonus.amounts)} participants"
        self._paid[bonus.id] = bonus
        error = self._attempt(f"/bulk-bonus-payments/{bonus.id}/pay/", doing)
        if error is None:
            return replace(bonus, paid=True)
        if error.uncertain:
            problem = str(error).removesuffix(AGAIN).strip()  # which is no advice here
            raise ProlificError(
                f"{problem} It is not known whether it was paid. {_LOOK_FIRST}",
                error.status,
                error.detail,
                True,
                value=bonus.id,
            )
        del self._paid[bonus.id]
        raise ProlificError(f"{error} Nothing was paid.", error.status, error.detail, value=bonus.id)

    def _attempt(self, path: str, doing: str) -> ProlificError | None:
        try:
            self._service.post(path, {}, doing, repeat="never", reads=False)
        except ProlificError as error:
            return error
        return None

    def _check_unpaid(self, bonus: Bonuses) -> None:
        """Raise ProlificError where somebody has had it since it was set up."""
        if bonus.again:
            return
        had = self._had(bonus.study, bonus.amounts)
        paid = [who for who in bonus.amounts if had[who]]
        if paid:
            raise ProlificError(
                f"{list_names(paid)} had a bonus in this study since this one was set up; set it up anew, which leaves "
                "them out, or with again=True, which does not. Nothing was paid.",
                value=paid[0],
            )

    def _had(self, study: str, people: Collection[str]) -> dict[str, Decimal]:
        """What each participant, or each submission, has had in bonuses."""
        had: dict[str, Decimal] = {}
        participants = set()
        for submission_ in self._submissions(study):
            participants.add(str(submission_.get("participant_id")))
            for who in (str(submission_["id"]), str(submission_.get("participant_id"))):
                had[who] = had.get(who, Decimal()) + bonus_of(submission_)
        for who in people:
            if who not in had:
                raise ProlificError(
                    f"{who!r} is neither a participant nor a submission of the study {study!r}.",
                    value=who,
                    column="amounts",
                )
        if len({who in participants for who in people}) > 1:
            raise ProlificError(
                "name either participants or submissions, not both: a participant might be paid twice.",
                value=list(people),
                column="amounts",
            )
        return had

    def _approve(self, names: list[str], before: int) -> None:
        done = f" ({before} done before)" if before else ""
        if len(names) == 1:
            doing = f"approve the submission {names[0]!r}{done}"
            self._service.post(
                f"/submissions/{names[0]}/transition/", {"action": "APPROVE"}, doing, repeat="always", reads=False
            )
            return
        doing = f"approve {len(names)} submissions{done}"
        body = {"submission_ids": names}
        self._service.post("/submissions/bulk-approve/", body, doing, repeat="always", reads=False)

    def _submissions(self, study: str) -> list[dict[str, Any]]:
        return self._service.pages(f"/studies/{study}/submissions/", f"list the submissions of the study {study!r}")

    def _study(self, study: str) -> Mapping[str, Any]:
        reply = self._service.get(f"/studies/{study}/", f"ask for the study {study!r}")
        needed(reply, "id")
        return reply  # type: ignore[no-any-return]

    def _find_study(self, internal_name: str) -> Mapping[str, Any] | None:
        every = self._service.pages("/studies/", f"look for a study named {internal_name!r}")
        named = [str(candidate["id"]) for candidate in every if candidate.get("internal_name") == internal_name]
        if len(named) > 1:
            raise ProlificError(
                f"there are {len(named)} studies whose internal name is {internal_name!r}: {list_names(named)}; rename "
                "all but one on Prolific's site, or take another name.",
                value=internal_name,
                column="internal_name",
            )
        return self._study(named[0]) if named else None

    def _made(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        name = body["internal_name"]
        error: ProlificError
        try:
            reply = self._service.post("/studies/", body, f"make a draft of the study {name!r}")
            needed(reply, "id")
            return reply  # type: ignore[no-any-return]
        except ProlificError as failed:
            error = failed
        there = self._find_study(name) if error.uncertain else None  # it may be there, although no reply came
        if there is None:
            raise error
        return there

    def _same(self, there: Mapping[str, Any], body: Mapping[str, Any]) -> PostedStudy:
        study = posted(there, already=True)
        differs = difference(body, there) if study.status == _UNPUBLISHED else ""
        if differs:
            raise ProlificError(
                f"there is a draft whose internal name is {study.internal_name!r} already, {study.id!r}, and it is "
                f"another: {differs}. Delete it at {study.page}, or take another name.",
                value=study.id,
                column="internal_name",
            )
        return study

    def _move(self, study: str, action: str) -> PostedStudy:
        now = posted(self._study(study), already=True)
        if now.status in _DONE[action]:
            return now
        error: ProlificError
        try:
            doing = f"{action.lower()} the study {study!r}, which is {now.status}"
            return posted(self._service.post(f"/studies/{study}/transition/", {"action": action}, doing))
        except ProlificError as failed:
            error = failed
        after = posted(self._study(study)) if error.uncertain else now
        if after.status in _DONE[action]:
            return after
        raise error


def _check_reviewable(name: str, status: str | None, study: str) -> None:
    if status is None:
        raise ProlificError(
            f"{name!r} is no submission of the study {study!r}; name submissions, not participants. Nothing was "
            "approved.",
            value=name,
            column="submission",
        )
    if status not in (APPROVED, AWAITING):
        raise ProlificError(
            f"the submission {name!r} is {status}; only one that is {AWAITING} can be approved. Leave it out, or "
            "decide about it on Prolific's site. Nothing was approved.",
            value=status,
            row=name,
            column="status",
        )


def _id(study: PostedStudy | str) -> str:
    name = study.id if isinstance(study, PostedStudy) else study
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ProlificError(
            f"{quote_value(name)} is no id of a study; it is what create() gave, or stands in its address.",
            value=name,
            column="study",
        )
    return name


def send(
    study: Study | Mapping[str, Any], *, publish: bool = False, prolific: Prolific | None = None, **options: Any
) -> PostedStudy:
    """Make a draft of a study, and publish it if asked to; see :meth:`Prolific.create`."""
    service = prolific or Prolific()
    made = service.create(study, **options)
    return service.publish(made) if publish else made


def fetch(study: PostedStudy | str, *, prolific: Prolific | None = None) -> pd.DataFrame:
    """Who has taken part so far; see :meth:`Prolific.submissions`."""
    return (prolific or Prolific()).submissions(study)
