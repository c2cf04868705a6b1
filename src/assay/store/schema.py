"""The tables of a judging database, for SQLite and PostgreSQL alike.

Labels, decisions, events, guidelines and releases are only ever added to: triggers, which migrations make, refuse to
change or delete them. Times are UTC, in milliseconds since 1970, so that both databases sort and compare them alike.

::

    collection -< document, topic, run          what is judged, and who found it
    project -< aspect >- scale -< grade         what is asked
    project -< guideline (versions)             by which rules
    project -< item -< source                   a document of a topic, and the runs that found it (never shown)
    item -< assignment -< label -< label_aspect  who was asked, and what they said
    item -< adjudication                        who decided where labels differ
    project -< release                          judgments as they were at a time, for good
    event                                       who did what
    account -< session, token, membership       who may do what; an assessor may be somebody's
    invitation, throttle, job                   links, failures to sign in, long work
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    ScalarSelect,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    literal_column,
    select,
    text,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
#: SQLite counts rows by itself only where the key is an INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")

#: So many values stand in one statement, or rows are written by one.
BATCH: Final = 5_000

#: Why somebody was asked: an ordinary label, a known answer, the same item again, or a label made elsewhere.
PURPOSES = ("main", "gold", "repeat", "import")
#: Where an assignment stands.
ASSIGNED = ("leased", "done", "skipped", "released")
#: Where an item stands: see `store/settling.py`.
ITEM_STATES = ("open", "disputed", "settled")
#: Who gives labels: a person, a program with a rule, a language model, or a file.
KINDS = ("human", "program", "model", "import")
#: What a label says: a grade, or that none can be given.
VERDICTS = ("graded", "cannot_judge")
#: What somebody is in a project, from the most that they may do to the least.
ROLES = ("owner", "manager", "adjudicator", "assessor", "contestant", "viewer")
#: What a link is for: to become a member, to make the first account, to sign in without a password.
LINKS = ("invite", "first", "sign-in")
#: What a program may do with a token: look, judge, or all that its owner may.
SCOPES = ("read", "judge", "all")
JOB_STATES = ("queued", "running", "done", "failed", "cancelled", "interrupted")


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(map(repr, values))})", name=column)


def _key() -> Column[int]:
    return Column("id", Key, primary_key=True)


def _of(table: str, *, name: str = "", nullable: bool = False, index: bool = False) -> Column[int]:
    return Column(name or f"{table}_id", Key, ForeignKey(f"{table}.id"), nullable=nullable, index=index)


def _time(name: str = "created_at", *, nullable: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable)


collection = Table("collection", METADATA, _key(), Column("name", Text, nullable=False), _time())
document = Table(
    "document", METADATA, _key(), _of("collection"),
    Column("doc_id", Text, nullable=False),
    Column("title", Text, nullable=False, server_default=""),
    Column("body", Text, nullable=False, server_default=""),
    Column("details", Text, nullable=False, server_default="{}"),
    UniqueConstraint("collection_id", "doc_id"),
)  # fmt: skip
topic = Table(
    "topic", METADATA, _key(), _of("collection"),
    Column("topic_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False, server_default=""),
    Column("narrative", Text, nullable=False, server_default=""),
    Column("place", Integer, nullable=False),
    UniqueConstraint("collection_id", "topic_id"),
)  # fmt: skip
run = Table(
    "run", METADATA, _key(), _of("collection"),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),  # the file as it came, compressed
    _time(),
    _of("account", nullable=True),  # the contestant whose run it is; none: the project's own
    UniqueConstraint("collection_id", "name"),
)  # fmt: skip

scale = Table(
    "scale", METADATA, _key(),
    Column("name", Text, nullable=False),
)  # fmt: skip
grade = Table(
    "grade", METADATA, _key(), _of("scale"),
    Column("value", Integer, nullable=False),
    Column("place", SmallInteger, nullable=False),
    Column("label", Text, nullable=False),
    Column("help", Text, nullable=False, server_default=""),
    Column("gain", Float, nullable=False),
    Column("is_relevant", Boolean, nullable=False),
    Column("key", Text, nullable=False),
    UniqueConstraint("scale_id", "value"),
    UniqueConstraint("scale_id", "key"),
)  # fmt: skip
project = Table(
    "project", METADATA, _key(), _of("collection"),
    Column("name", Text, nullable=False, unique=True),
    Column("settings", Text, nullable=False),  # JSON: see `store/settings.py`
    Column("seed", BigInteger, nullable=False),
    Column("state", String(16), nullable=False, server_default="open"),
    Column("pool", Text, nullable=False, server_default="{}"),  # JSON: how the pool was made
    _time(),
    _one_of("state", ("open", "paused", "closed")),
)  # fmt: skip
aspect = Table(
    "aspect", METADATA, _key(), _of("project"), _of("scale"),
    Column("name", Text, nullable=False),
    Column("question", Text, nullable=False, server_default=""),
    Column("place", SmallInteger, nullable=False),  # 0 is relevance, which decides what happens to an item
    UniqueConstraint("project_id", "name"),
    UniqueConstraint("project_id", "place"),
)  # fmt: skip
guideline = Table(
    "guideline", METADATA, _key(), _of("project"),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),
    _time(),
    UniqueConstraint("project_id", "version"),
)  # fmt: skip
item = Table(
    "item", METADATA, _key(), _of("project"), _of("topic"),
    Column("doc_id", Text, nullable=False),
    Column("stratum", Integer, nullable=False, server_default="0"),
    Column("inclusion", Float, nullable=False, server_default="1"),
    Column("priority", Integer, nullable=False, server_default="0"),
    Column("urgency", Integer, nullable=False, server_default="0"),
    Column("shuffle", Integer, nullable=False),  # a random number: the order that nobody can read a rank from
    Column("wanted", SmallInteger, nullable=False),  # labels by different people
    Column("taken", SmallInteger, nullable=False, server_default="0"),  # of these, leased or done
    Column("state", String(16), nullable=False, server_default="open"),
    UniqueConstraint("project_id", "topic_id", "doc_id"),
    _one_of("state", ITEM_STATES),
)  # fmt: skip
#: What is still to be handed out, over all topics, by topic and by priority: the only rows that a hand-out looks at,
#: however much has been judged already.
_OPEN = text("state = 'open' AND taken < wanted")
for _name, _first, _last in (
    ("ix_item_open", [], []), ("ix_item_open_topic", [item.c.topic_id], []),
    ("ix_item_open_priority", [], [item.c.priority]),
):  # fmt: skip
    _columns = [item.c.project_id, *_first, item.c.urgency.desc(), item.c.taken, *_last, item.c.shuffle]
    Index(_name, *_columns, sqlite_where=_OPEN, postgresql_where=_OPEN)
Index("ix_item_state", item.c.project_id, item.c.state)
source = Table(
    "source", METADATA,
    Column("item_id", Key, ForeignKey("item.id"), primary_key=True),
    Column("run", Text, primary_key=True),
    Column("rank", Integer, nullable=False),
)  # fmt: skip
gold = Table(
    "gold", METADATA,
    Column("item_id", Key, ForeignKey("item.id"), primary_key=True),
    Column("expected", Integer, nullable=False),
    Column("tolerance", Integer, nullable=False, server_default="0"),
)  # fmt: skip

assessor = Table(
    "assessor", METADATA, _key(), _of("project"),
    Column("name", Text, nullable=False),
    Column("alias", Text, nullable=False),  # what others see
    Column("kind", String(16), nullable=False, server_default="human"),
    Column("details", Text, nullable=False, server_default="{}"),  # JSON: a model's name, prompt and parameters
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    Column("asked", Integer, nullable=False, server_default="0"),  # assignments so far: the next one's number
    _time(),
    UniqueConstraint("project_id", "name"),
    UniqueConstraint("project_id", "alias"),
    _one_of("kind", KINDS),
)  # fmt: skip
share = Table(
    "share", METADATA,  # the topics that were given to an assessor; none: all
    Column("assessor_id", Key, ForeignKey("assessor.id"), primary_key=True),
    Column("topic_id", Key, ForeignKey("topic.id"), primary_key=True),
)  # fmt: skip
assignment = Table(
    "assignment", METADATA, _key(), _of("item"), _of("assessor"),
    Column("purpose", String(16), nullable=False, server_default="main"),
    Column("state", String(16), nullable=False),
    Column("number", Integer, nullable=False),  # the assessor's own count, which is the order of judging
    _time("handed_at"), _time("lease_until"),
    UniqueConstraint("item_id", "assessor_id", "purpose"),
    _one_of("purpose", PURPOSES), _one_of("state", ASSIGNED),
)  # fmt: skip
Index("ix_assignment_assessor", assignment.c.assessor_id, assignment.c.state, assignment.c.number)
Index(
    "ix_assignment_leased", assignment.c.lease_until,
    sqlite_where=text("state = 'leased'"), postgresql_where=text("state = 'leased'"),
)  # fmt: skip
label = Table(
    "label", METADATA, _key(), _of("assignment", index=True),
    Column("verdict", String(16), nullable=False),
    Column("value", Integer),
    Column("note", Text, nullable=False, server_default=""),
    Column("active_ms", Integer),
    Column("input", String(16), nullable=False, server_default=""),  # key, click, form, file
    Column("shown", String(64), nullable=False, server_default=""),  # sha256 of what was on the screen
    _of("guideline", nullable=True),
    Column("client_key", Text, nullable=False, unique=True),
    _time(), _time("client_at", nullable=True),
    Column("supersedes", Key, ForeignKey("label.id"), unique=True),
    Column("is_late", Boolean, nullable=False, server_default=text("false")),
    Column("is_surplus", Boolean, nullable=False, server_default=text("false")),  # beyond the overlap, by a late save
    _one_of("verdict", (*VERDICTS, "withdrawn")),
    CheckConstraint("(verdict = 'graded') = (value IS NOT NULL)", name="value"),
)  # fmt: skip
label_aspect = Table(
    "label_aspect", METADATA,
    Column("label_id", Key, ForeignKey("label.id"), primary_key=True),
    Column("aspect_id", Key, ForeignKey("aspect.id"), primary_key=True),
    Column("value", Integer, nullable=False),
)  # fmt: skip
adjudication = Table(
    "adjudication", METADATA, _key(), _of("item", index=True),
    Column("value", Integer),  # null: nobody can judge it
    Column("reason", Text, nullable=False, server_default=""),
    Column("decided_by", Text, nullable=False),
    _time(),
)  # fmt: skip
release = Table(
    "release", METADATA, _key(), _of("project"),
    Column("version", Integer, nullable=False),
    Column("policy", Text, nullable=False),  # JSON
    Column("facts", Text, nullable=False),  # JSON: counts, agreement with its interval, the guidelines' version
    Column("content", LargeBinary, nullable=False),  # the rows, compressed: see `store/releases.py`
    Column("sha256", String(64), nullable=False),  # of the judgments as they are exported
    Column("note", Text, nullable=False, server_default=""),
    _time(),
    UniqueConstraint("project_id", "version"),
)  # fmt: skip
event = Table(
    "event", METADATA, _key(), _of("project", nullable=True),
    Column("actor", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("what", Text, nullable=False, server_default=""),
    Column("details", Text, nullable=False, server_default="{}"),
    _time(),
)  # fmt: skip

# Who may do what. A secret (of a session, a link, a token) is never stored: its sha256 is.
account = Table(
    "account", METADATA, _key(),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),  # the name without upper case: nobody is called almost alike
    Column("password", Text, nullable=False, server_default=""),  # Argon2; empty: nobody can sign in with one
    Column("is_administrator", Boolean, nullable=False, server_default=text("false")),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    _time(),
)  # fmt: skip
session = Table(
    "session", METADATA, _key(), _of("account", index=True),
    Column("digest", String(64), nullable=False, unique=True),
    _time(), _time("expires_at"),
)  # fmt: skip
membership = Table(
    "membership", METADATA, _key(), _of("project"), _of("account", index=True),
    Column("role", String(16), nullable=False),
    _of("assessor", nullable=True),  # as whom they judge
    _time(),
    UniqueConstraint("project_id", "account_id"), UniqueConstraint("assessor_id"),
    _one_of("role", ROLES),
)  # fmt: skip
invitation = Table(
    "invitation", METADATA, _key(),
    Column("digest", String(64), nullable=False, unique=True),
    Column("purpose", String(16), nullable=False),
    _of("project", nullable=True, index=True), _of("account", nullable=True),  # the account that `sign-in` is for
    Column("role", String(16), nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
    Column("invited_by", Text, nullable=False, server_default=""),
    _time(), _time("expires_at"), _time("used_at", nullable=True),
    _one_of("purpose", LINKS),
)  # fmt: skip
token = Table(
    "token", METADATA, _key(), _of("account", index=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("scope", String(16), nullable=False),
    _time(), _time("expires_at", nullable=True),
    _one_of("scope", SCOPES),
)  # fmt: skip
throttle = Table(
    "throttle", METADATA,  # failures in a row, by name and by address
    Column("key", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    _time("failed_at"),
)  # fmt: skip
#: Long work outside of requests: what it is, how far it is, what came of it.
job = Table(
    "job", METADATA, _key(), _of("project", nullable=True, index=True), _of("account", nullable=True),
    Column("kind", String(32), nullable=False),
    Column("given", Text, nullable=False, server_default="{}"),  # JSON
    Column("state", String(16), nullable=False, server_default="queued"),
    Column("done", BigInteger, nullable=False, server_default="0"),
    Column("total", BigInteger, nullable=False, server_default="0"),
    Column("message", Text, nullable=False, server_default=""),
    Column("result", LargeBinary),
    Column("is_unwanted", Boolean, nullable=False, server_default=text("false")),  # somebody asked it to stop
    _time(), _time("beat_at", nullable=True), _time("ended_at", nullable=True),
    _one_of("state", JOB_STATES),
)  # fmt: skip
Index("ix_job_state", job.c.state)


def fixed(word: str) -> ColumnElement[str]:
    """A state within a statement: as a parameter it would keep SQLite from planning the statement once for good."""
    return literal_column(repr(word))


def _entered(table: Table) -> ScalarSelect[int]:
    newest = select(func.max(table.c.id)).scalar_subquery()
    return select(table.c.created_at).where(table.c.id == newest).scalar_subquery()


#: When something was last written down: a label, or else an event; null in an empty database.
LAST_ENTRY: ColumnElement[int] = func.coalesce(_entered(label), _entered(event))
