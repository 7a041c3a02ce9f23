"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    _study()
    _people()
    _work()
    _record()


def _study() -> None:
    op.create_table(
        "settings",
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_settings"),
    )
    op.create_table(
        "attributes",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("cost", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attributes"),
        sa.UniqueConstraint("name", name="uq_attributes_name"),
    )
    op.create_table(
        "objects",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("label", sa.Float),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_objects"),
        sa.UniqueConstraint("name", name="uq_objects_name"),
    )


def _people() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("source", sa.String(20), nullable=False),
        sa.Column("external", sa.Text),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("token_hash", sa.String(64)),
        sa.Column("token_expires", sa.Float),
        sa.Column("entered_at", sa.Float, nullable=False),
        sa.Column("consented_at", sa.Float),
        sa.Column("blocked_at", sa.Float),
        sa.Column("judged", sa.Integer, nullable=False),
        sa.Column("batches", sa.Integer, nullable=False),
        sa.Column("earned", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
        sa.UniqueConstraint("name", name="uq_workers_name"),
        sa.UniqueConstraint("token_hash", name="uq_workers_token_hash"),
        sa.UniqueConstraint("source", "external", name="uq_workers_source_external"),
    )
    op.create_table(
        "programs",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("revoked_at", sa.Float),
        sa.PrimaryKeyConstraint("id", name="pk_programs"),
        sa.UniqueConstraint("token_hash", name="uq_programs_token_hash"),
    )


def _work() -> None:
    op.create_table(
        "pairs",
        sa.Column(
            "attribute_id", sa.Integer, sa.ForeignKey("attributes.id", name="fk_pairs_attribute_id"), nullable=False
        ),
        sa.Column("object_id", sa.Integer, sa.ForeignKey("objects.id", name="fk_pairs_object_id"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("open", sa.Integer, nullable=False),
        sa.Column("out", sa.Integer, nullable=False),
        sa.Column("filled", sa.Integer, nullable=False),
        sa.Column("have", sa.Integer, nullable=False),
        sa.Column("cant_tell", sa.Integer, nullable=False),
        sa.Column("dry", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("attribute_id", "object_id", name="pk_pairs"),
        sa.CheckConstraint(
            '"out" >= 0 AND "open" + "out" >= 0 AND have >= 0 AND cant_tell >= 0', name=op.f("ck_pairs_counts")
        ),
        sa.CheckConstraint("have + cant_tell <= filled", name=op.f("ck_pairs_filled")),
    )
    is_open = sa.text('"open" > 0')
    op.create_index("ix_pairs_open", "pairs", ["attribute_id", "place"], sqlite_where=is_open, postgresql_where=is_open)
    op.create_table(
        "batches",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("worker_id", sa.Integer, sa.ForeignKey("workers.id", name="fk_batches_worker_id"), nullable=False),
        sa.Column(
            "attribute_id", sa.Integer, sa.ForeignKey("attributes.id", name="fk_batches_attribute_id"), nullable=False
        ),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("leased_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.Column("submitted_at", sa.Float),
        sa.Column("seconds", sa.Float),
        sa.Column("draft", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_batches"),
    )
    op.create_index("ix_batches_worker_id_state", "batches", ["worker_id", "state"])
    is_out = sa.text("state = 'out'")
    op.create_index(
        "ix_batches_held", "batches", ["worker_id"], unique=True, sqlite_where=is_out, postgresql_where=is_out
    )
    op.create_index("ix_batches_out", "batches", ["expires_at"], sqlite_where=is_out, postgresql_where=is_out)
    op.create_table(
        "items",
        sa.Column("batch_id", sa.String(40), sa.ForeignKey("batches.id", name="fk_items_batch_id"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("object_id", sa.Integer, sa.ForeignKey("objects.id", name="fk_items_object_id"), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "position", name="pk_items"),
    )


def _record() -> None:
    op.create_table(
        "judgments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("worker_id", sa.Integer, sa.ForeignKey("workers.id", name="fk_judgments_worker_id"), nullable=False),
        sa.Column("batch_id", sa.String(40), sa.ForeignKey("batches.id", name="fk_judgments_batch_id")),
        sa.Column("object_id", sa.Integer, sa.ForeignKey("objects.id", name="fk_judgments_object_id"), nullable=False),
        sa.Column(
            "attribute_id", sa.Integer, sa.ForeignKey("attributes.id", name="fk_judgments_attribute_id"), nullable=False
        ),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("value", sa.Float),
        sa.Column("cost", sa.Float, nullable=False),
        sa.Column("replaces", sa.Integer, sa.ForeignKey("judgments.id", name="fk_judgments_replaces")),
        sa.PrimaryKeyConstraint("id", name="pk_judgments"),
        sa.UniqueConstraint("replaces", name="uq_judgments_replaces"),
    )
    first = sa.text("replaces IS NULL")
    op.create_index(
        "ix_judgments_once",
        "judgments",
        ["worker_id", "attribute_id", "object_id"],
        unique=True,
        sqlite_where=first,
        postgresql_where=first,
    )
    op.create_index("ix_judgments_at", "judgments", ["at"])
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
