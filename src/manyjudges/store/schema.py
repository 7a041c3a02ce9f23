"""The tables of a store. ``migrations/`` makes them; a test holds the two together.

Three kinds: what the study is about (``attributes``, ``objects``, ``workers``, ``programs``), what happened and is only
ever added to (``judgments``, ``rounds``, ``events``), and where the work stands (``pairs``, ``batches``, ``items``, and
``calls``, which stay as a record of what was paid).
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from manyjudges.store.dialects import index_where

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

settings = Table(
    "settings", metadata, Column("key", String(100), primary_key=True), Column("value", Text, nullable=False)
)

attributes = Table(
    "attributes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("cost", Float, nullable=False),
    Column("judge", Text),  # the model that alone judges it; nothing where it is people's
)

objects = Table(
    "objects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("label", Float),
    Column("place", Integer, nullable=False),  # in the order of being handed out, which is by chance
    Column("active", Boolean, nullable=False),  # still in the study's file
)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(40), nullable=False, unique=True),
    Column("source", String(20), nullable=False),
    Column("external", Text),
    Column("details", Text, nullable=False),
    Column("token_hash", String(64), unique=True),
    Column("token_expires", Float),
    Column("entered_at", Float, nullable=False),
    Column("consented_at", Float),
    Column("blocked_at", Float),
    Column("judged", Integer, nullable=False),
    Column("batches", Integer, nullable=False),
    Column("earned", Float, nullable=False),
    UniqueConstraint("source", "external"),
)

programs = Table(
    "programs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("made_at", Float, nullable=False),
    Column("revoked_at", Float),
)

pairs = Table(
    "pairs",
    metadata,
    Column("attribute_id", ForeignKey("attributes.id"), primary_key=True, autoincrement=False),
    Column("object_id", ForeignKey("objects.id"), primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),  # the object's, so that one index finds open work in its order
    Column(
        "open", Integer, nullable=False
    ),  # judgments that may be handed out now; below 0, so many that are out are not wanted any more
    Column("out", Integer, nullable=False),  # judgments that are handed out now
    Column("filled", Integer, nullable=False),  # answers that came and were paid, "can't tell" and withdrawn ones too
    Column("have", Integer, nullable=False),  # values that count
    Column("cant_tell", Integer, nullable=False),
    Column("dry", Boolean, nullable=False),  # not asked for any more
    CheckConstraint('"out" >= 0 AND "open" + "out" >= 0 AND have >= 0 AND cant_tell >= 0', name="counts"),
    CheckConstraint("have + cant_tell <= filled", name="filled"),
)
Index(
    "ix_pairs_open",
    pairs.c.attribute_id,
    pairs.c.place,
    **index_where(text('"open" > 0')),
)

batches = Table(
    "batches",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("worker_id", ForeignKey("workers.id"), nullable=False),
    Column("attribute_id", ForeignKey("attributes.id"), nullable=False),
    Column("state", String(10), nullable=False),  # out, done, expired, released
    Column("leased_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("submitted_at", Float),
    Column("seconds", Float),  # that one judgment of it took
    Column("draft", Text, nullable=False),
    Index("ix_batches_worker_id_state", "worker_id", "state"),
)
is_out = text("state = 'out'")
# One batch at a time is out with a worker, whatever else goes wrong.
Index("ix_batches_held", batches.c.worker_id, unique=True, **index_where(is_out))
Index("ix_batches_out", batches.c.expires_at, **index_where(is_out))

items = Table(
    "items",
    metadata,
    Column("batch_id", ForeignKey("batches.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("object_id", ForeignKey("objects.id"), nullable=False),
    Column("state", String(10), nullable=False),  # out, answered, returned
)

judgments = Table(
    "judgments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("worker_id", ForeignKey("workers.id"), nullable=False),
    Column("batch_id", ForeignKey("batches.id")),
    Column("object_id", ForeignKey("objects.id"), nullable=False),
    Column("attribute_id", ForeignKey("attributes.id"), nullable=False),
    Column("kind", String(10), nullable=False),  # answer, cant_tell, correction, withdrawal
    Column("value", Float),
    Column("cost", Float, nullable=False),
    Column("replaces", ForeignKey("judgments.id"), unique=True),
    Column("turn", Integer, nullable=False, server_default=text("0")),  # above 0, a model's further calls
)
# A worker's first answer about a pair, and each further one of a model, can be in here only once, whatever goes wrong.
Index(
    "ix_judgments_once",
    judgments.c.worker_id,
    judgments.c.attribute_id,
    judgments.c.object_id,
    judgments.c.turn,
    unique=True,
    **index_where(judgments.c.replaces.is_(None)),
)
Index("ix_judgments_at", judgments.c.at)

calls = Table(
    "calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("worker_id", ForeignKey("workers.id"), nullable=False),
    Column("attribute_id", ForeignKey("attributes.id"), nullable=False),
    Column("object_id", ForeignKey("objects.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", String(10), nullable=False),  # out, answered, cant_tell, refused, unreadable, failed, lost, late
    Column("asked_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("replied_at", Float),
    Column("tokens_in", Integer, nullable=False),
    Column("tokens_out", Integer, nullable=False),
    Column("paid", Float, nullable=False),  # in the study's currency
    Column("said", Text, nullable=False),
    Column("judgment_id", ForeignKey("judgments.id")),  # the one whose cost it is part of
    Index("ix_calls_attribute_id_object_id", "attribute_id", "object_id"),
)
Index("ix_calls_out", calls.c.expires_at, **index_where(is_out))

rounds = Table(
    "rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("document", Text, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("what", String(40), nullable=False),
    Column("detail", Text, nullable=False),
)
