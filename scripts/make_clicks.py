"""Make a log of an invented search engine's users, on the bicycles collection: what they saw, and what they clicked.

Usage: python scripts/make_clicks.py [OUTPUT_FOLDER]

Each user is shown one of two systems, ``bm25`` or ``described``. They go down the list as a dynamic Bayesian user does:
a result attracts and satisfies by its grade (0 to 3; unjudged documents are 0), and a user who is not satisfied goes on
with probability 0.85. Those who are not satisfied may turn to the second page, put the query in other words, or leave;
on some topics the page itself gives the answer. A few lines are what real logs have, too: a robot, events that were
sent twice, clicks on documents that were not shown, a clock that is behind. Everything is deterministic: the same
script gives the same bytes. File: ``log.ndjson.gz``, in the format Open UBI 1.3 (queries and events in order of time).
"""

import argparse
import gzip
import json
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data"
SEED = 41
PAGES, USERS = 3000, 420
SYSTEMS = {"bm25": 42.0, "described": 61.0}  # with the median of their latency in milliseconds
START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS, SIZE = 28, 10
ATTRACTION, SATISFACTION, GOES_ON = (0.12, 0.35, 0.55, 0.8), (0.05, 0.3, 0.55, 0.85), 0.85
SWAPPED, MISSPELT, ANSWERED_LEAVES = 0.35, 0.03, 0.6
NEXT_PAGE, OTHER_WORDS = 0.25, 0.45
ANSWERED_TOPICS = ("4", "11", "17")
WORDS = ("how to", "best", "bike", "bicycle", "help with", "guide")


class Crowd:
    """The users, and the records they leave."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.titles = topics(DATA / "bicycles" / "topics.trec")
        self.grades = qrels(DATA / "bicycles" / "qrels.txt")
        self.lists = {system: run(DATA / "bicycles" / "runs" / f"{system}.run") for system in SYSTEMS}
        self.records: list[tuple[datetime, int, dict[str, Any]]] = []
        self.pages = 0

    def record(self, time: datetime, **fields: Any) -> None:
        """Keep a query or an event."""
        stamp = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.records.append((time, len(self.records), {"application": "bicycles", **fields, "timestamp": stamp}))

    def page(self, time: datetime, who: tuple[str, str, str], text: str, hits: list[str], number: int = 1) -> str:
        """Show a page of results to a user, of a system, on a topic."""
        user, system, topic = who
        self.pages += 1
        query_id = f"p{self.pages:04d}"
        latency = round(SYSTEMS[system] * self.rng.lognormvariate(0, 0.3), 1)
        attributes: dict[str, Any] = {"topic": topic, "system": system, "latency_ms": latency}
        attributes |= {"page": number} if number > 1 else {}
        attributes |= {"answered": True} if topic in ANSWERED_TOPICS and number == 1 and hits else {}
        self.record(time, query_id=query_id, client_id=user, user_query=text, query_attributes=attributes,
                    query_response_hit_ids=hits)  # fmt: skip
        return query_id

    def click(self, time: datetime, ids: tuple[str, str, str], doc: str, rank: int, dwell: float | None) -> None:
        """Click a result."""
        query_id, user, session = ids
        attributes: dict[str, Any] = {"object": {"object_id": doc}, "position": {"ordinal": rank}}
        attributes |= {} if dwell is None else {"dwell_ms": round(1000 * dwell)}
        self.record(time, action_name="click", query_id=query_id, client_id=user, session_id=session,
                    event_attributes=attributes)  # fmt: skip

    def session(self, user: str, system: str, number: int, time: datetime) -> None:
        """A user looks for something, until they have it or give up."""
        rng, session = self.rng, f"{user}-{number}"
        topic = rng.choices([*self.titles], [1 / (place + 3) for place in range(len(self.titles))])[0]
        text, page = self.titles[topic], 1
        if rng.random() < MISSPELT:
            self.page(time, (user, system, topic), misspelt(text, rng), [])
            if rng.random() < 0.3:
                return
            time += timedelta(seconds=rng.uniform(3, 20))
        while True:
            hits = self.shown(system, topic, text, page)
            query_id = self.page(time, (user, system, topic), text, hits, page)
            if topic in ANSWERED_TOPICS and page == 1 and rng.random() < ANSWERED_LEAVES:
                return
            time, satisfied = self.look(time, (query_id, user, session), topic, hits)
            if satisfied:
                return
            time += timedelta(seconds=rng.uniform(1, 8))
            choice = rng.random()
            if choice < NEXT_PAGE and page == 1:
                page = 2
            elif choice < NEXT_PAGE + OTHER_WORDS:
                text, page = reworded(self.titles[topic], rng), 1
            else:
                return

    def shown(self, system: str, topic: str, text: str, page: int) -> list[str]:
        """The results of a page; other words give a somewhat different list, and neighbours change places at times."""
        ranked = list(self.lists[system].get(topic, []))
        if text != self.titles[topic]:
            other = random.Random(f"{system} {text}")  # the same words always give the same list
            ranked = [doc for _, doc in sorted((place + other.gauss(0, 2), doc) for place, doc in enumerate(ranked))]
        hits = ranked[SIZE * (page - 1) : SIZE * page]
        if len(hits) > 1 and self.rng.random() < SWAPPED:
            place = self.rng.randrange(len(hits) - 1)
            hits[place : place + 2] = hits[place + 1], hits[place]
        return hits

    def look(self, time: datetime, ids: tuple[str, str, str], topic: str, hits: list[str]) -> tuple[datetime, bool]:
        """Go down a list; when it ended, and whether the user was satisfied."""
        rng = self.rng
        for rank, doc in enumerate(hits, 1):
            time += timedelta(seconds=rng.uniform(0.8, 3.5))
            grade = self.grades.get((topic, doc), 0)
            if rng.random() < ATTRACTION[grade]:
                satisfied = rng.random() < SATISFACTION[grade]
                dwell = rng.lognormvariate(4.2, 0.6) if satisfied else rng.lognormvariate(2.4, 0.7)
                self.click(time, ids, doc, rank, None if rng.random() < 0.1 else dwell)
                if satisfied:
                    return time, True
                time += timedelta(seconds=dwell)
            if rng.random() > GOES_ON:
                break
        return time, False

    def robot(self, time: datetime) -> None:
        """Something asks every topic twice within a minute, and clicks nothing."""
        for topic in [*self.titles, *self.titles]:
            self.page(time, ("crawler", "bm25", topic), self.titles[topic], self.lists["bm25"].get(topic, [])[:SIZE])
            time += timedelta(seconds=1.3)

    def dirt(self) -> None:
        """What goes wrong in real logs: events sent twice, clicks on what was not shown, a clock that is behind."""
        clicks = [place for place, (_, _, record) in enumerate(self.records) if "action_name" in record]
        for place in self.rng.sample(clicks, 12):
            time, _, record = self.records[place]
            self.records.append((time, len(self.records), record))
        for place in self.rng.sample(clicks, 7):
            self.records[place][2]["event_attributes"] = {"object": {"object_id": "b999"}, "position": {"ordinal": 12}}
        for place in self.rng.sample(clicks, 5):
            time, number, record = self.records[place]
            behind = time - timedelta(minutes=10)
            stamp = behind.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self.records[place] = behind, number, {**record, "timestamp": stamp}


def topics(path: Path) -> dict[str, str]:
    """Titles by number."""
    text = path.read_text(encoding="utf-8")
    return dict(re.findall(r"<num> Number: (\S+)\n<title> (.+)\n", text))


def qrels(path: Path) -> dict[tuple[str, str], int]:
    """Grades of pairs."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {(query, doc): int(grade) for query, _, doc, grade in lines}


def run(path: Path) -> dict[str, list[str]]:
    """Documents of each topic, best first."""
    ranked: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc, *_ = line.split()
        ranked.setdefault(query, []).append(doc)
    return ranked


def misspelt(text: str, rng: random.Random) -> str:
    """A text with a letter too few, and one too many."""
    place = rng.randrange(1, len(text) - 2)
    return f"{text[:place]}x{text[place + 2 :]}q"


def reworded(title: str, rng: random.Random) -> str:
    """A title with a word more or less."""
    words = title.split()
    if rng.random() < 0.5 and len(words) > 2:
        del words[rng.randrange(len(words))]
    else:
        words.insert(0, rng.choice(WORDS))
    return " ".join(words)


def make() -> list[dict[str, Any]]:
    """All records in order of time, as a collector would have them."""
    rng = random.Random(SEED)
    crowd = Crowd(rng)
    crowd.robot(START + timedelta(days=9, hours=3))
    number = dict.fromkeys(range(USERS), 0)
    while crowd.pages < PAGES:
        user = int(USERS * rng.random() ** 1.6)
        number[user] += 1
        hour = rng.triangular(6, 23.5, 19)
        time = START + timedelta(days=rng.randrange(DAYS), hours=hour)
        crowd.session(f"u{user + 1:03d}", [*SYSTEMS][user % 2], number[user], time)
    crowd.dirt()
    return [record for _, _, record in sorted(crowd.records, key=lambda each: each[:2])]


def main() -> None:
    """Write the log."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=DATA / "clicks")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in make())
    (folder / "log.ndjson.gz").write_bytes(gzip.compress(lines.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
