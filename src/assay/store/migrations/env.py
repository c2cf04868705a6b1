"""Alembic's environment: migrations on the connection that `store/database.py` hands over, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
context.run_migrations()
