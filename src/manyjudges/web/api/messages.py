"""Messages between programs and the server, as pydantic checks and OpenAPI describes them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from manyjudges.tables.kinds import KINDS

MOST_ITEMS = 200
"""Objects of a batch, at most."""

_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]+$"


class ApiRequest(BaseModel):
    """What a program sends: no field but the known ones, and nothing turned into what it is not, such as "5" into 5."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """What went wrong."""

    detail: str = Field(examples=["There is no such lease of this program's workers."])


class LeaseRequest(ApiRequest):
    """Who wants work, and which."""

    worker: str = Field(
        min_length=1,
        max_length=100,
        pattern=_PRINTABLE,
        description="The program's own name for a judge, such as that of a model. No two answers of one judge about "
        "the same thing are ever asked for, so that each model, and each independent run of it, needs its own.",
        examples=["model-a"],
    )
    attribute: str | None = Field(default=None, max_length=200, description="Only this one.", examples=[None])
    size: int | None = Field(default=None, ge=1, le=MOST_ITEMS, description="Objects, at most.", examples=[20])


class LeasedItem(BaseModel):
    """One object to judge."""

    position: int = Field(description="Its place in the batch, from 0.", examples=[0])
    object: str = Field(examples=["jar 1"])
    text: str | None = Field(examples=["A jar of jelly beans"])
    image: str | None = Field(
        description="Where the picture is: an address of this server, which takes the same token, or of another.",
        examples=["/api/v1/leases/7-h3Jd0/items/0/image"],
    )
    answered: bool = Field(description="Whether an answer is in the store.", examples=[False])
    value: float | None = Field(
        description="That answer; null for “can't tell” and before there is one.", examples=[None]
    )


class Asked(BaseModel):
    """How a question is asked, and what counts as an answer to it."""

    question: str = Field(examples=["Is the jar round?"])
    kind: str = Field(description=f"One of {', '.join(KINDS)}.", examples=[next(iter(KINDS))])
    range: tuple[float, float] | None = Field(examples=[None])
    labels: list[str] = Field(description="Of a scale: both ends, or every step.", examples=[[]])
    unit: str | None = Field(examples=[None])
    whole: bool = Field(description="Whether only whole numbers are answers.", examples=[False])
    help: str | None = Field(examples=["Seen from above."])
    example: str | None = Field(examples=["A jam jar is round."])
    cant_tell: bool = Field(description="Whether “can't tell” is an answer.", examples=[True])


class LeasedBatch(Asked):
    """Objects that one worker judges for one attribute."""

    id: str = Field(examples=["7-h3Jd0"])
    worker: str = Field(examples=["model-a"])
    attribute: str = Field(examples=["round jar"])
    state: str = Field(description="out, done, expired or released.", examples=["out"])
    leased_at: float = Field(description="Seconds since 1970, UTC.", examples=[1790000000.0])
    expires_at: float = Field(examples=[1790001800.0])
    items: list[LeasedItem]


class ItemAnswer(ApiRequest):
    """What a judge said of one item: a value, or that it cannot tell."""

    position: int = Field(ge=0, le=10_000, examples=[0])
    value: StrictBool | StrictInt | StrictFloat | StrictStr | None = Field(
        default=None, description="A number, true or false, or a text that says one.", examples=[1]
    )
    cant_tell: bool = Field(default=False, examples=[False])


class BatchAnswers(ApiRequest):
    """Answers to a batch; items that are left out go back to be judged by others."""

    answers: list[ItemAnswer] = Field(min_length=1, max_length=MOST_ITEMS, examples=[[{"position": 0, "value": 1}]])
    seconds: float | None = Field(default=None, ge=0, le=1e7, description="Time taken over the batch.", examples=[12.5])


class AnswersReceipt(BaseModel):
    """What became of the answers; they are on disk."""

    accepted: int = Field(description="New ones.", examples=[20])
    repeated: int = Field(description="Handed in before, just so.", examples=[0])
    corrected: int = Field(description="In place of an earlier one.", examples=[0])
    late: int = Field(description="After the lease ended, when somebody else had the work: not kept.", examples=[0])
    returned: int = Field(description="Items without an answer, which went back.", examples=[0])
    earned: float = Field(description="Units.", examples=[20.0])


class Released(BaseModel):
    """Whether a batch was handed back; it is not where it was not out any more."""

    released: bool = Field(examples=[True])


class AttributeStatus(BaseModel):
    """How far one attribute is."""

    attribute: str = Field(examples=["round jar"])
    wanted: int = Field(examples=[400])
    have: int = Field(examples=[380])
    out: int = Field(examples=[20])
    open: int = Field(examples=[0])
    cant_tell: int = Field(examples=[0])


class CampaignStatus(BaseModel):
    """How the campaign stands."""

    state: str = Field(description="running, paused or closed.", examples=["running"])
    stage: str = Field(description="pilot, planning, plan, unlabelled or done.", examples=["pilot"])
    round: int = Field(examples=[1])
    spent: float = Field(description="Units.", examples=[380.0])
    attributes: list[AttributeStatus]


class Question(Asked):
    """One attribute and what counts as an answer to it."""

    name: str = Field(examples=["round jar"])
    cost: float = Field(description="Units for a judgment.", examples=[1.0])
