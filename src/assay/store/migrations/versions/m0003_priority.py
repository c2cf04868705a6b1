"""An index for hand-outs by priority: without it each of them sorts all that is open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

OPEN = sa.text("state = 'open' AND taken < wanted")


def upgrade() -> None:
    """Make the index."""
    columns: list[str | sa.TextClause] = ["project_id", sa.text("urgency DESC"), "taken", "priority", "shuffle"]
    op.create_index("ix_item_open_priority", "item", columns, sqlite_where=OPEN, postgresql_where=OPEN)
