"""What alembic runs: the steps that are missing, on the connection that is handed in."""

from alembic import context

from manyjudges.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
