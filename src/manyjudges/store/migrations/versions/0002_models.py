"""Models that judge: whose an attribute is, repeated judgments of one pair, and the calls that were made."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what they need."""
    op.add_column("attributes", sa.Column("judge", sa.Text))
    op.add_column("judgments", sa.Column("turn", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.drop_index("ix_judgments_once", table_name="judgments")
    first = sa.text("replaces IS NULL")
    op.create_index(
        "ix_judgments_once",
        "judgments",
        ["worker_id", "attribute_id", "object_id", "turn"],
        unique=True,
        sqlite_where=first,
        postgresql_where=first,
    )
    op.create_table(
        "calls",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("worker_id", sa.Integer, sa.ForeignKey("workers.id", name="fk_calls_worker_id"), nullable=False),
        sa.Column(
            "attribute_id", sa.Integer, sa.ForeignKey("attributes.id", name="fk_calls_attribute_id"), nullable=False
        ),
        sa.Column("object_id", sa.Integer, sa.ForeignKey("objects.id", name="fk_calls_object_id"), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.Column("replied_at", sa.Float),
        sa.Column("tokens_in", sa.Integer, nullable=False),
        sa.Column("tokens_out", sa.Integer, nullable=False),
        sa.Column("paid", sa.Float, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("judgment_id", sa.Integer, sa.ForeignKey("judgments.id", name="fk_calls_judgment_id")),
        sa.PrimaryKeyConstraint("id", name="pk_calls"),
    )
    op.create_index("ix_calls_attribute_id_object_id", "calls", ["attribute_id", "object_id"])
    out = sa.text("state = 'out'")
    op.create_index("ix_calls_out", "calls", ["expires_at"], sqlite_where=out, postgresql_where=out)
