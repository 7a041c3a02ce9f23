"""The live Mechanical Turk, for those who have an account: HITs that lead to a study's page, and what comes back.

Unless somebody says ``live=True``, everything happens in the sandbox, where no money moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pandas as pd

from manyjudges.base.messages import quote_value
from manyjudges.connectors.mturk.service import (
    LONGEST_TOKEN,
    SANDBOX,
    as_text,
    between,
    hits_in,
    is_undecided,
    money,
    new_client,
    question,
    table,
    translated_errors,
    was_processed,
)
from manyjudges.exceptions import MechanicalTurkError

__all__ = ["Bonus", "Hit", "MechanicalTurk", "MechanicalTurkError", "Reviewed", "fetch", "send"]

_WORKERS = {False: "https://workersandbox.mturk.com", True: "https://worker.mturk.com"}
_PAST = datetime(2015, 1, 1, tzinfo=UTC)
"""A HIT that expires at a time in the past expires at once; always the same one, so that doing it twice is harmless."""

_YEAR = 365 * 24 * 60


@dataclass(frozen=True)
class Hit:
    """A HIT that was posted. Keep its ``id``: everything else can be asked for by it.

    Attributes
    ----------
    id, type, group : str
    title : str
    reward : str
        In dollars, for each assignment.
    assignments : int
    expires : datetime
    live : bool
        Whether it is for real money.
    """

    id: str
    type: str
    group: str
    title: str
    reward: str
    assignments: int
    expires: datetime
    live: bool

    @property
    def preview(self) -> str:
        """The address at which workers see it."""
        return f"{_WORKERS[self.live]}/mturk/preview?groupId={self.group}"


@dataclass(frozen=True)
class Reviewed:
    """Assignments that were approved or rejected: those of this call, and those that had been so already."""

    done: tuple[str, ...]
    already: tuple[str, ...]


@dataclass(frozen=True)
class Bonus:
    """A bonus; ``already`` where the same token had paid it before."""

    worker: str
    assignment: str
    amount: str
    token: str
    already: bool = False


class MechanicalTurk:
    """Mechanical Turk's requester service.

    Parameters
    ----------
    client : boto3 client, optional
        Made anew, with the credentials that boto3 finds, unless given. Needs boto3.
    live : bool
        Whether this is for real money; otherwise it is the sandbox.
    profile : str, optional
        Of the credentials to use, where there are several on this machine.
    """

    def __init__(self, client: Any = None, *, live: bool = False, profile: str | None = None) -> None:
        self.live = bool(live)
        self._client = new_client(self.live, profile) if client is None else client
        if client is not None and not self.live and "sandbox" not in str(client.meta.endpoint_url):
            raise MechanicalTurkError(
                f"the client speaks to {client.meta.endpoint_url}, where money moves; say so by live=True, or make it "
                f"with endpoint_url={SANDBOX!r}.",
                value=str(client.meta.endpoint_url),
                column="live",
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(live={self.live})"

    def balance(self) -> Decimal:
        """What is left in the account, in dollars; always 10,000 in the sandbox."""
        with translated_errors("ask for the balance"):
            return Decimal(self._client.get_account_balance()["AvailableBalance"])

    def send(
        self,
        address: str,
        *,
        title: str,
        description: str,
        reward: str | int | Decimal,
        assignments: int,
        token: str,
        minutes: float = 60,
        lifetime_days: float = 7,
        keywords: Sequence[str] = (),
        qualifications: Sequence[Mapping[str, Any]] = (),
        frame_height: int = 0,
    ) -> Hit:
        """Post one HIT whose workers judge on the study's page.

        Parameters
        ----------
        address : str
            Of the study's page, such as ``"https://judge.example.org/"``; it must be https. Amazon adds who comes.
        title, description : str
            What workers see in the list of HITs.
        reward : str, int or Decimal
            In dollars, for one assignment, such as ``"0.50"``.
        assignments : int
            How many workers may take it. From 10 on, Amazon's fee is higher.
        token : str
            A name of your own for this HIT, of at most 64 characters. Calling again with it within 24 hours posts
            nothing, and gives the HIT that is there.
        minutes : float
            The time that a worker has.
        lifetime_days : float
            How long it can be taken.
        keywords : sequence of str
        qualifications : sequence of mapping
            Who may take it, as the service's QualificationRequirements.
        frame_height : int
            Of the frame in which workers see the page, in pixels; 0 for as much as there is.
        """
        parameters = {
            "Title": as_text("title", title, 128),
            "Description": as_text("description", description, 2000),
            "Keywords": ", ".join(as_text("keyword", keyword, 100) for keyword in _listed(keywords)),
            "Reward": money(reward, "reward"),
            "MaxAssignments": int(between("assignments", assignments, 1, 1_000_000_000, whole_number=True)),
            "AssignmentDurationInSeconds": round(between("minutes", minutes, 0.5, _YEAR) * 60),
            "LifetimeInSeconds": round(between("lifetime_days", lifetime_days, 30 / 86_400, 365) * 86_400),
            "QualificationRequirements": [_qualification(qualification) for qualification in qualifications],
            "Question": question(address, int(between("frame_height", frame_height, 0, 100_000, whole_number=True))),
            "UniqueRequestToken": as_text("token", token, LONGEST_TOKEN),
        }
        try:
            with translated_errors(f"post the HIT {title!r}"):
                hit = self._client.create_hit(**parameters)["HIT"]
        except MechanicalTurkError as error:
            hit = self._existing(error, token)
        return self._hit(hit)

    def fetch(self, hit: Hit | str) -> pd.DataFrame:
        """Who has handed in a HIT so far.

        Returns
        -------
        DataFrame
            ``assignment``, ``worker``, ``hit``, ``status``, ``accepted``, ``submitted`` (in UTC), ``seconds`` between
            the two, and ``code``, the completion code that the worker entered (empty where there is none).
        """
        name = _id(hit)
        with translated_errors(f"ask for the assignments of the HIT {name!r}"):
            pages = list(self._client.get_paginator("list_assignments_for_hit").paginate(HITId=name))
        return table([assignment for page in pages for assignment in page.get("Assignments", ())])

    def approve(
        self, assignments: str | Iterable[str], *, feedback: str | None = None, override: bool = False
    ) -> Reviewed:
        """Approve assignments, by their names; who handed them in is paid. Those approved already are fine.

        Parameters
        ----------
        assignments : str or iterable of str
        feedback : str, optional
            What the worker reads.
        override : bool
            Whether to approve those, too, that were rejected before.
        """
        extra = {} if feedback is None else {"RequesterFeedback": feedback}
        return self._review("approve", "Approved", assignments, {**extra, "OverrideRejection": override})

    def reject(self, assignments: str | Iterable[str], *, reason: str) -> Reviewed:
        """Reject assignments, for a reason that the worker reads; nothing is paid. Those rejected already are fine."""
        return self._review("reject", "Rejected", assignments, {"RequesterFeedback": as_text("reason", reason, 1024)})

    def bonus(
        self,
        worker: str,
        assignment: str,
        amount: str | int | Decimal,
        *,
        reason: str,
        token: str,
        again: bool = False,
    ) -> Bonus:
        """Pay somebody more than the reward, unless the same was paid before for the same reason.

        Parameters
        ----------
        worker, assignment : str
        amount : str, int or Decimal
            In dollars, such as ``"0.35"``.
        reason : str
            What the worker reads.
        token : str
            A name of your own for this payment, of at most 64 characters. Calling again with it within 24 hours pays
            nothing, even if the first call's answer was lost.
        again : bool
            Whether to pay, with another token, what was paid before: the same amount, for the same assignment and
            reason.
        """
        paid = money(amount, "amount")
        parameters = {
            "WorkerId": worker,
            "AssignmentId": assignment,
            "BonusAmount": paid,
            "Reason": as_text("reason", reason, 4096),
        }
        if not again and self._was_paid(parameters):
            return Bonus(worker, assignment, paid, token, already=True)
        try:
            with translated_errors(f"pay the worker {worker!r} a bonus of ${paid}"):
                self._client.send_bonus(**parameters, UniqueRequestToken=as_text("token", token, LONGEST_TOKEN))
        except MechanicalTurkError as error:
            if not was_processed(error):
                raise
            return Bonus(worker, assignment, paid, token, already=True)
        return Bonus(worker, assignment, paid, token)

    def expire(self, hit: Hit | str) -> None:
        """Let nobody take a HIT any more; who has it may still hand it in."""
        name = _id(hit)
        try:
            with translated_errors(f"expire the HIT {name!r}"):
                self._client.update_expiration_for_hit(HITId=name, ExpireAt=_PAST)
        except MechanicalTurkError as error:
            if not was_processed(error):
                raise

    def _was_paid(self, parameters: Mapping[str, str]) -> bool:
        """Whether such a bonus was paid before; Amazon forgets a token after a day, but not a payment."""
        name = parameters["AssignmentId"]
        with translated_errors(f"ask for the bonuses of the assignment {name!r}"):
            pages = list(self._client.get_paginator("list_bonus_payments").paginate(AssignmentId=name))
        return any(
            payment.get("WorkerId") == parameters["WorkerId"]
            and payment.get("Reason") == parameters["Reason"]
            and Decimal(payment.get("BonusAmount", "0")) == Decimal(parameters["BonusAmount"])
            for page in pages
            for payment in page.get("BonusPayments", ())
        )

    def _hit(self, reply: Mapping[str, Any]) -> Hit:
        return Hit(
            reply["HITId"],
            reply["HITTypeId"],
            reply["HITGroupId"],
            reply["Title"],
            reply["Reward"],
            reply["MaxAssignments"],
            reply["Expiration"].astimezone(UTC),
            self.live,
        )

    def _existing(self, error: MechanicalTurkError, token: str) -> Mapping[str, Any]:
        """The HIT that a token has posted before; the error itself where it is another one."""
        if error.code.lower() != "hitalreadyexists" and not was_processed(error):
            raise error
        names = [name for name in hits_in(error.detail) if name != token]
        if not names:
            raise MechanicalTurkError(
                f"a HIT was posted with the token {token!r} already; find it on the requester site, or post another "
                "one with a new token.",
                error.code,
                error.detail,
                value=token,
                column="token",
            )
        with translated_errors(f"find the HIT {names[0]!r}, which the token {token!r} posted before"):
            hit: Mapping[str, Any] = self._client.get_hit(HITId=names[0])["HIT"]
        return hit

    def _review(
        self, verb: str, status: str, assignments: str | Iterable[str], parameters: Mapping[str, Any]
    ) -> Reviewed:
        call = getattr(self._client, f"{verb}_assignment")
        done: list[str] = []
        already: list[str] = []
        for name in _listed(assignments):
            doing = f"{verb} the assignment {name!r} ({len(done)} done before it)"
            try:
                with translated_errors(doing):
                    call(AssignmentId=name, **parameters)
            except MechanicalTurkError as error:
                if not is_undecided(error) or self._status(name) != status:
                    raise
                already.append(name)
            else:
                done.append(name)
        return Reviewed(tuple(done), tuple(already))

    def _status(self, assignment: str) -> str:
        with translated_errors(f"ask for the assignment {assignment!r}"):
            return str(self._client.get_assignment(AssignmentId=assignment)["Assignment"]["AssignmentStatus"])


def _listed(one_or_several: str | Iterable[str]) -> Iterable[str]:
    return [one_or_several] if isinstance(one_or_several, str) else one_or_several


def _qualification(qualification: object) -> dict[str, Any]:
    if not isinstance(qualification, Mapping):
        raise MechanicalTurkError(
            f"qualification = {quote_value(qualification)} must be a mapping as the service takes it, such as "
            '{"QualificationTypeId": "…", "Comparator": "Exists"}.',
            value=qualification,
            column="qualification",
        )
    return dict(qualification)


def _id(hit: Hit | str) -> str:
    return hit.id if isinstance(hit, Hit) else hit


def send(address: str, *, client: Any = None, live: bool = False, **options: Any) -> Hit:
    """Post one HIT whose workers judge on the study's page; see :meth:`MechanicalTurk.send`."""
    return MechanicalTurk(client, live=live).send(address, **options)


def fetch(hit: Hit | str, *, client: Any = None, live: bool = False) -> pd.DataFrame:
    """Who has handed in a HIT so far; see :meth:`MechanicalTurk.fetch`."""
    return MechanicalTurk(client, live=live).fetch(hit)
