"""Configuration: what a campaign's folder says in ``study.toml``, checked whole before anything starts."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard
from unicodedata import normalize

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from manyjudges.base.database_addresses import PATTERNS, address_form
from manyjudges.base.messages import suggest
from manyjudges.base.methods import STUDY_SEARCHES
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.exceptions import StudyError
from manyjudges.study import addresses
from manyjudges.study.arrivals import MARKETPLACES
from manyjudges.study.config_errors import describe_problems, key_of, problems_in
from manyjudges.study.models import Column, LlmSection, Model
from manyjudges.study.questions import Attribute, ShortText, StudySection, Text, Words, contradiction, one_of
from manyjudges.study.toml_lines import Lines, describe_syntax_error
from manyjudges.tables.judge_columns import AT

__all__ = ["ObjectsSection", "PlanSection", "Study", "check_spending", "read_study"]

_FILE = "study.toml"
"""The name of a study's file in its folder."""

METHODS = ("auto", *STUDY_SEARCHES)
"""How a plan may be looked for, ``"auto"`` unless told."""

_COUNT = 1_000_000_000
"""The most of anything that is counted; databases keep whole numbers of this size."""


def _web_address(address: str) -> str:
    if not addresses.is_web_address(address):
        raise ValueError
    return address


def _site(address: str) -> str:
    if not addresses.is_web_address(address) or "?" in address or "#" in address:
        raise ValueError
    return address.rstrip("/")


def _host(name: str) -> str:
    if not name or any(character.isspace() or character in "/@" for character in name):
        raise ValueError
    return name


def _short(text: str) -> str:
    if len(text) > 12:
        raise ValueError
    return text


def _method(name: str) -> str:
    if name not in METHODS:
        raise ValueError
    return name


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class ObjectsSection(StudySection):
    """``[objects]``: where the objects are listed, and what the columns are called."""

    file: ShortText = Field(default="objects.csv", description="the name of a file")
    id: ShortText = Field(default="id", description="the name of a column")
    label: ShortText = Field(default="label", description="the name of a column")
    image: ShortText = Field(default="image", description="the name of a column")
    text: ShortText = Field(default="text", description="the name of a column")

    @field_validator("label", "image", "text")
    @classmethod
    def _differs(cls, value: str, info: ValidationInfo) -> str:
        for role in ("id", "label", "image"):
            if info.data.get(role) == value and role != info.field_name:
                raise contradiction(f"is the column of {role}, too; each needs one of its own.")
        return value


class PlanSection(StudySection):
    """``[plan]``: how many judgments are bought, of what, and for how much."""

    pilot: int = Field(default=2, ge=2, le=1000, description="a whole number from 2 to 1000")
    budget: float = Field(default=20.0, gt=0, description="a number greater than 0")
    spending_limit: float | None = Field(default=None, gt=0, description="a number greater than 0")
    method: Annotated[str, AfterValidator(_method)] = Field(default=METHODS[0], description=one_of(METHODS))
    max_repeats: int | None = Field(default=None, ge=1, le=_COUNT, description="a whole number of 1 or more")
    judge_unlabelled: bool = Field(default=True, description="true or false")
    cant_tell_limit: int = Field(default=3, ge=1, le=1000, description="a whole number from 1 to 1000")
    seed: int = Field(default=0, ge=0, lt=2**32, description="a whole number from 0 to 4294967295")

    @field_validator("max_repeats")
    @classmethod
    def _holds_the_pilot(cls, value: int, info: ValidationInfo) -> int:
        pilot = info.data.get("pilot")
        if pilot is not None and value < pilot:
            raise contradiction(f"is less than the pilot, which asks for {pilot}; raise it, or lower pilot.")
        return value


class WorkSection(StudySection):
    """``[work]``: what one worker is given at a time, at most, and for what pay."""

    batch_size: int = Field(default=40, ge=1, le=200, description="a whole number from 1 to 200")
    lease_minutes: float = Field(
        default=30.0, gt=0, le=10_080, description="a number of minutes greater than 0, at most 10080 (a week)"
    )
    most_judgments: int | None = Field(default=None, ge=1, le=_COUNT, description="a whole number of 1 or more")
    most_batches: int | None = Field(default=None, ge=1, le=_COUNT, description="a whole number of 1 or more")
    pay_per_unit: float = Field(default=0.01, ge=0, description="a number of 0 or more")
    currency: Annotated[ShortText, AfterValidator(_short)] = Field(
        default="USD", description="a text of at most 12 characters, such as USD"
    )


class EntrySection(StudySection):
    """``[entry]``: how workers get in, and how they leave."""

    open: bool = Field(default=True, description="true or false")
    link_days: float = Field(
        default=30.0, gt=0, le=3650, description="a number of days greater than 0, at most 3650 (ten years)"
    )
    completion_code: ShortText | None = Field(default=None, description="a text on one line, of at most 200 characters")
    completion_address: Annotated[str, AfterValidator(_web_address)] | None = Field(
        default=None, description="an address that begins with http:// or https://"
    )

    def allows(self, marketplace: str) -> bool:
        """Whether people may come from a marketplace; each has a setting of its name."""
        return bool(getattr(self, marketplace, False))


if not TYPE_CHECKING:  # a type checker takes no class that is made from data
    EntrySection = create_model(
        "EntrySection",
        __base__=EntrySection,
        __doc__=EntrySection.__doc__,
        __module__=__name__,
        **{name: (bool, Field(default=False, description="true or false")) for name in MARKETPLACES},
    )


class ServerSection(StudySection):
    """``[server]``: where the server listens, and how judges reach it."""

    host: Annotated[str, AfterValidator(_host)] = Field(
        default="127.0.0.1", description="the name or number of this machine, such as 127.0.0.1 or 0.0.0.0"
    )
    port: int = Field(default=8000, ge=1, le=65535, description="a whole number from 1 to 65535")
    address: Annotated[str, AfterValidator(_site)] | None = Field(
        default=None, description="an address that begins with http:// or https://, without ? and #"
    )


def _check_code(code: str, info: ValidationInfo) -> str:
    if not re.fullmatch(r"MJ\d{3}", code):
        raise ValueError
    known = info.context  # this room knows what a code looks like; which ones exist is known to the caller
    if known is not None and code not in known:
        raise contradiction(f"is not a check; there are {', '.join(known)}.{suggest(code, known)}")
    return code


class ChecksSection(StudySection):
    """``[checks]``: which checks of the data are left out."""

    mute: Annotated[tuple[Annotated[str, AfterValidator(_check_code)], ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description='a list of codes of checks, such as ["MJ103"]'
    )


class Study(StudySection):
    """All that ``study.toml`` says, with everything left out filled in.

    Made by :func:`read_study`. The keys are described in the documentation of the study's file.
    """

    title: ShortText = Field(description="a text on one line, of at most 200 characters")
    welcome: Text = Field(default="", description="a text")
    consent: Text = Field(default="", description="a text")
    contact: ShortText | None = Field(default=None, description="a text on one line, of at most 200 characters")
    database: Words = Field(
        default="sqlite:///judgments.db", repr=False, description=f"the address of a database: {PATTERNS}"
    )
    objects: ObjectsSection = Field(default=ObjectsSection(), description="a table, headed [objects]")
    plan: PlanSection = Field(default=PlanSection(), description="a table, headed [plan]")
    work: WorkSection = Field(default=WorkSection(), description="a table, headed [work]")
    entry: EntrySection = Field(default=EntrySection(), description="a table, headed [entry]")
    server: ServerSection = Field(default=ServerSection(), description="a table, headed [server]")
    checks: ChecksSection = Field(default=ChecksSection(), description="a table, headed [checks]")
    llm: LlmSection = Field(default=LlmSection(), description="a table, headed [llm]")
    models: Annotated[tuple[Model, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="tables, each headed [[models]]"
    )
    attributes: Annotated[tuple[Attribute, ...], BeforeValidator(_as_tuple)] = Field(
        description="at least one table, each headed [[attributes]]"
    )

    _folder: Path = PrivateAttr(default=Path())
    _lines: Lines = PrivateAttr(default=Lines(""))

    @field_validator("attributes")
    @classmethod
    def _some(cls, value: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
        if not value:  # a minimum length would also complain where each of them has a fault
            raise ValueError
        return value

    @field_validator("database")
    @classmethod
    def _check_database(cls, value: str) -> str:
        try:
            address_form(addresses.with_environment(value))
        except ValueError as error:
            raise contradiction(str(error)) from None
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _check_together(cls, values: Any, handler: ModelWrapValidatorHandler[Study]) -> Study:
        """Look for contradictions between tables, too, when something else is wrong: all is said at once."""
        clashes = list(_clashes(values)) if isinstance(values, Mapping) else []
        try:
            study = handler(values)
        except ValidationError as error:
            others = [
                InitErrorDetails(type=_again(detail["type"], detail["msg"]), loc=detail["loc"], input=detail["input"])
                for detail in error.errors()
            ]
            raise ValidationError.from_exception_data(cls.__name__, [*others, *clashes]) from None
        if clashes:
            raise ValidationError.from_exception_data(cls.__name__, clashes)
        return study

    @property
    def folder(self) -> Path:
        """The study's folder, which everything relative is looked for from."""
        return self._folder

    @property
    def database_address(self) -> str:
        """The database's address, with the environment put in; a file of SQLite is absolute."""
        try:
            return addresses.resolve_database(self.database, self.folder)
        except ValueError as error:
            hidden = addresses.without_password(self.database)
            raise StudyError(
                f'{self.place("database")}: database = "{hidden}" {error}', value=hidden, **self.located("database")
            ) from None

    @property
    def columns(self) -> tuple[Column, ...]:
        """What judgments are counted by: each attribute, or each as one model judges it, where models are named."""
        people = () if self.models and not self.llm.people else self.attributes
        return (
            *(Column(attribute.name, attribute.name, None, attribute.cost) for attribute in people),
            *(
                Column(f"{attribute.name}{AT}{model.name}", attribute.name, model.name, model.cost or attribute.cost)
                for model in self.models
                for attribute in self.attributes
                if not model.attributes or attribute.name in model.attributes
            ),
        )

    @property
    def costs(self) -> dict[str, float]:
        """Price of one judgment of each column, in units, as far as it is known before anything is bought."""
        return {column.name: column.cost for column in self.columns}

    def model(self, name: str) -> Model:
        """The model of this name; a study that names none takes any, StudyError otherwise."""
        if not self.models:
            return Model(name=name)
        for model in self.models:
            if model.name == name:
                return model
        names = [model.name for model in self.models]
        listed = ", ".join(map(repr, names))
        raise StudyError(
            f"{self.folder / _FILE} has no model {name!r}; its models are {listed}.{suggest(name, names)} Name one of "
            "them, or add a table [[models]].",
            value=name,
            column="models",
            file=str(self.folder / _FILE),
        )

    def attribute(self, name: str) -> Attribute:
        """The attribute of this name; StudyError where there is none."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        listed = ", ".join(repr(attribute.name) for attribute in self.attributes)
        raise StudyError(
            f"{self.folder / _FILE} has no attribute {name!r}; its attributes are {listed}.",
            value=name,
            column="attributes",
            file=str(self.folder / _FILE),
        )

    def place(self, *path: str | int) -> str:
        """Where a key stands, or would stand: the file and the line."""
        return f"{self.folder / _FILE}, line {self._lines.of(path)}"

    def located(self, *path: str | int) -> dict[str, Any]:
        """The same for an error: its fields ``row``, ``column`` and ``file``."""
        return {"row": self._lines.of(path), "column": key_of(path), "file": str(self.folder / _FILE)}


def read_study(folder: str | os.PathLike[str], *, check_codes: Collection[str] | None = None) -> Study:
    """Read and check the study in a folder.

    Parameters
    ----------
    folder : path
        With a file ``study.toml``.
    check_codes : collection of str, optional
        The checks that can be muted, such as ``("MJ101", "MJ103")``. Where they are not given, every code is allowed.

    Returns
    -------
    Study

    Raises
    ------
    StudyError
        Where there is no such file or it is not as it should be: all that is wrong with it, each on a line that names
        the file, its line, the key, the value and what is allowed.
    """
    path = _file_in(Path(folder))
    text = _text_of(path)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line, problem = describe_syntax_error(text, error)
        raise StudyError(f"{path}, line {line}: {problem}", row=line, file=str(path)) from None
    lines = Lines(text)
    try:
        study = Study.model_validate(document, context=check_codes)
    except ValidationError as error:
        problems = problems_in(error, Study, document, lines, str(path))
        first = problems[0]
        raise StudyError(
            describe_problems(problems),
            problems=problems,
            value=first.value,
            row=first.line,
            column=first.key,
            file=first.file,
        ) from None
    study._folder, study._lines = Path(folder), lines
    return study


def check_spending(study: Study, n_labelled: int) -> None:
    """Raise StudyError where the spending limit does not pay for the pilot on so many labelled objects."""
    limit, pilot = study.plan.spending_limit, study.plan.pilot
    guessed = {model.name for model in study.models if model.cost is None}  # nobody said what they cost
    priced = [column for column in study.columns if column.judge not in guessed]
    cost = n_labelled * pilot * sum(column.cost for column in priced)
    if limit is not None and cost > limit * (1 + COST_TOLERANCE):
        raise StudyError(
            f"{study.place('plan', 'spending_limit')}: plan.spending_limit = {limit:,.10g} does not pay for the pilot: "
            f"{pilot} judgments of each of {len(priced):,} attributes of {n_labelled:,} labelled objects "
            f"cost {cost:,.10g}. Raise it, or take fewer objects, attributes or judgments.",
            value=limit,
            **study.located("plan", "spending_limit"),
        )


def _clashes(document: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    """Contradictions between tables, among those of their values that can be read."""
    entries, models = _tables(document, "attributes"), _tables(document, "models")
    yield from _twice(entries, "attributes", "attribute")
    yield from _twice(models, "models", "model")
    names = [str(entry.get("name")) for entry in entries]
    for position, name in enumerate(names):
        if models and AT in name:
            message = f"has {AT!r} in it, which stands between an attribute and a model; rename it."
            yield InitErrorDetails(type=contradiction(message), loc=("attributes", position, "name"), input=name)
    for position, model in enumerate(models):
        model_attributes = model.get("attributes")
        for name in model_attributes if isinstance(model_attributes, list | tuple) else ():
            if isinstance(name, str) and name not in names:
                message = f"names {name!r}, which is no attribute of this study.{suggest(name, names)}"
                place = ("models", position, "attributes")
                yield InitErrorDetails(type=contradiction(message), loc=place, input=model_attributes)
    plan = document.get("plan", {})
    budget = plan.get("budget", PlanSection().budget) if isinstance(plan, dict) else None
    cheapest = (
        None if models else _least([entry.get("cost", 1.0) for entry in entries])
    )  # of models it is not known yet
    if _is_price(budget) and cheapest is not None and budget * (1 + COST_TOLERANCE) < cheapest:
        message = f"does not pay for a single judgment: the cheapest attribute costs {cheapest:g}. Raise the budget."
        yield InitErrorDetails(type=contradiction(message), loc=("plan", "budget"), input=budget)


def _tables(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    listed = document.get(key)
    return [entry if isinstance(entry, dict) else {} for entry in listed] if isinstance(listed, list | tuple) else []


def _twice(entries: Sequence[Mapping[str, Any]], key: str, what: str) -> Iterator[InitErrorDetails]:
    """Names that stand in two tables of a kind."""
    first: dict[str, int] = {}
    for position, name in enumerate(entry.get("name") for entry in entries):
        if isinstance(name, str) and (earlier := first.setdefault(_folded(name), position)) != position:
            message = f"is the name of {what} {earlier + 1}, too; upper and lower case do not count. Rename one."
            yield InitErrorDetails(type=contradiction(message), loc=(key, position, "name"), input=name)


def _least(costs: Sequence[object]) -> float | None:
    """The least of some costs; None where there are none, or one of them is no price."""
    return min((float(cost) for cost in costs if _is_price(cost)), default=None) if all(map(_is_price, costs)) else None


def _is_price(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= sys.float_info.max


def _folded(name: str) -> str:
    return normalize("NFKC", name).strip().casefold()


def _again(kind: Any, message: Any) -> PydanticCustomError:
    return PydanticCustomError(kind, "{said}", {"said": message})


def _file_in(folder: Path) -> Path:
    path = folder / _FILE
    if folder.is_file():
        raise StudyError(
            f"{str(folder)!r} is a file; give the folder that it lies in: {str(folder.parent)!r}.",
            value=str(folder),
            column="folder",
        )
    if not folder.is_dir():
        raise StudyError(
            f"there is no folder {str(folder)!r}; manyjudges new {folder} makes one.",
            value=str(folder),
            column="folder",
        )
    if not path.is_file():
        raise StudyError(
            f"there is no {_FILE} in the folder {str(folder)!r}; name a study's folder, "
            "or make one with manyjudges new.",
            file=str(path),
        )
    return path


def _text_of(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StudyError(f"cannot read {str(path)!r}: {error.strerror or error}.", file=str(path)) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StudyError(f"{path}, line 1: this is UTF-16 text; save it as UTF-8.", row=1, file=str(path))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StudyError(
            f"{path}, line {line}: this is not UTF-8 text ({error.reason}); save it as UTF-8.", row=line, file=str(path)
        ) from None
