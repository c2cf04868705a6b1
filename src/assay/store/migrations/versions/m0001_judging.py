"""The tables of judging, and triggers that keep what was said."""

from __future__ import annotations

from alembic import op

from assay.store.schema import APPEND_ONLY, METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables, and let rows of some of them only ever be added."""
    METADATA.create_all(op.get_bind())
    names = [table.name for table in APPEND_ONLY]
    if op.get_bind().dialect.name == "sqlite":
        for name in names:
            for verb in ("UPDATE", "DELETE"):
                op.execute(
                    f'CREATE TRIGGER keep_{name}_{verb.lower()} BEFORE {verb} ON "{name}" '
                    f"BEGIN SELECT RAISE(ABORT, 'rows of {name} are only ever added'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION keep_rows() RETURNS trigger AS $$ BEGIN "
        "RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME; END $$ LANGUAGE plpgsql"
    )
    for name in names:
        op.execute(
            f'CREATE TRIGGER keep_{name} BEFORE UPDATE OR DELETE ON "{name}" FOR EACH ROW EXECUTE FUNCTION keep_rows()'
        )
