"""Contents of a report made up from a seed, for tests of how a report looks: the numbers mean nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from assay.report.written import MARKS
from assay.reporting import contents as c

WORDS = ["wheel", "chain", "spoke", "tyre", "brake", "saddle", "pedal", "hub", "gear", "frame", "rim", "valve", "lock"]
VERDICTS: list[tuple[c.Tone, str]] = [
    ("good", "better"),
    ("bad", "worse"),
    ("even", "equivalent"),
    ("open", "inconclusive"),
]
CHANGES: list[c.Change] = ["gained", "lost", "up", "down", "same"]
MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@20"]


class Maker:
    """Draws the parts of a report; `text` stands in every name, query and document."""

    def __init__(self, systems: int, queries: int, measures: int, text: str) -> None:
        self.draw = random.Random(systems * 1000 + queries)
        self.names = [f"system{n}{text}" for n in range(systems)]
        self.measures = MEASURES[:measures]
        self.queries = queries
        self.text = text

    def words(self, count: int) -> str:
        return " ".join(self.draw.choice(WORDS) for _ in range(count)) + self.text

    def verdict(self, measure: str, place: int) -> c.Spoken:
        tone, word = VERDICTS[place % 4]
        system, value = self.names[place + 1], self.draw.uniform(-0.2, 0.2)
        low, high, p = (math.nan, math.nan, math.nan) if place == 2 else (value - 0.05, value + 0.06, 0.04)
        return c.Spoken(
            measure=measure,
            baseline=self.names[0],
            system=system,
            tone=tone,
            word=word,
            headline=f"{system} is {word}",
            paragraph=f"{system} has {value:+.4f} more.",
            caveat=f"It depends on 7 documents of {system}." if place == 1 else "",
            baseline_value=0.5,
            value=0.5 + value,
            difference=value,
            relative=value / 0.5,
            low=low,
            high=high,
            level=0.95,
            p=p,
            d_z=0.4,
            margin=0.01,
            won=12,
            tied=1,
            lost=7,
            mark=MARKS.get(word, ""),
            unjudged=7 if place == 1 else 0,
        )

    def score(self, measure: str, place: int) -> c.Score:
        value = self.draw.uniform(0.2, 0.8)
        word = VERDICTS[(place - 1) % 4][1] if place else ""
        mark = MARKS.get(word, "")
        return c.Score(measure, value, value - 0.1, value + 0.08, mark, place == 1, verdict=word)

    def differences(self, system: str) -> c.Differences:
        rows = []
        for number in range(self.queries):
            first = self.draw.random()
            second = first if number % 9 == 0 else self.draw.random()
            rows.append(c.QueryDifference(str(number + 1), self.words(4), first, second, second - first))
        rows.sort(key=lambda row: -row.difference)
        return c.Differences(self.measures[0], self.names[0], system, tuple(rows))

    def curve(self, place: int) -> c.PrecisionRecall:
        levels = tuple(level / 10 for level in range(11))
        return c.PrecisionRecall(self.names[place], levels, tuple(max(0, 0.9 - place / 15 - 0.8 * x) for x in levels))

    def side(self, system: str, has_steps: bool) -> c.Side:
        ranking = tuple(
            c.Ranked(
                rank=rank,
                doc_id=f"d{rank}{self.text}",
                title="" if rank == 4 else self.words(3),
                text="" if rank == 5 else self.words(40),
                grade=self.draw.choice([None, 0.0, 1.0, 2.0, 3.0]),
                change=self.draw.choice(CHANGES),
                other_rank=self.draw.choice([rank + 1, None]),
            )
            for rank in range(1, 11)
        )
        steps, running = [], 0.0
        for item in ranking:
            adds = (item.grade or 0.0) / 12 / math.log2(item.rank + 1)
            running += adds
            steps.append(c.Contribution(item.rank, item.doc_id, item.grade, adds, running))
        steps.append(c.Contribution(40, "", None, 0.05, running + 0.05))
        return c.Side(system, running + 0.05, ranking, tuple(steps) if has_steps else ())

    def changed(self, place: int, query: c.QueryDifference) -> c.ChangedQuery:
        has_steps = place != 2
        first, second = (self.side(name, has_steps) for name in self.names[:2])
        why = "" if has_steps else "This measure does not add up over documents."
        best = 1.0 if place else None
        change = second.value - first.value
        return c.ChangedQuery(self.measures[0], query.query_id, query.text, first, second, change, best, why)

    def each(self, make: Callable[[str], c.Differences]) -> tuple[c.Differences, ...]:
        return tuple(make(name) for name in self.names[1:])


def made_contents(systems: int = 4, queries: int = 20, measures: int = 3, text: str = "") -> c.Contents:
    """A report on so many systems and queries; `text` stands in every name, query and document."""
    made = Maker(systems, queries, measures, text)
    names, others = made.names, range(systems - 1)
    differences = made.each(made.differences)
    return c.Contents(
        title=f"Ways to search notes{text}",
        lead=f"{systems} systems, {queries} topics",
        measures=tuple(c.Measured(measure) for measure in made.measures),
        alpha=0.05,
        verdicts=tuple(made.verdict(measure, place) for measure in made.measures for place in others),
        summary=(f"{names[-1]} has the best number.",),
        caveats=(),
        noticed=tuple(c.NoticedOf(names[0], name, "nothing.") for name in names[1:]),
        systems=tuple(
            c.SystemRow(name, place == 0, tuple(made.score(measure, place) for measure in made.measures), 0.9)
            for place, name in enumerate(names)
        ),
        differences=differences,
        curves=tuple(made.curve(place) for place in range(systems)),
        changed=tuple(made.changed(place, differences[0].queries[place]) for place in range(3)) if differences else (),
        coverage=tuple(
            c.Coverage(name, queries, 0, 1, 50, 70, 40, 3, ((5, 1.0), (10, 0.9), (20, math.nan))) for name in names
        ),
        bounds=tuple(
            c.Bound(name, measure, 0.5, low, 0.5)
            for measure, low in zip(made.measures, (0.4, 0.5), strict=False)
            for name in names
        ),
        power=tuple(
            c.PowerOf(made.measures[0], names[0], name, queries, -0.04, 0.2, 0.1, 0.01, 1894 if n else None, 0.8)
            for n, name in enumerate(names[1:])
        ),
        warnings=(f"2 topics of {names[0]} have no results.",),
        notes=("Something was left out.",),
        methods=f"Systems were compared by a paired permutation test [1]{text}.",
        references=(c.Reference("[1]", f"Smucker, M. D., Allan, J., & Carterette, B. (2007).{text}"),),
        provenance=c.Provenance(
            version="0.1.0",
            command=f"assay report qrels.txt{text}",
            made="2026-11-16 07:00 UTC",
            seed=0,
            inputs=(
                c.Input("qrels", f"qrels.txt{text}", "ab" * 32, "TREC qrels"),
                c.Input("run", f"run{text}", None, "a dict"),
            ),
            signatures=tuple(f"{measure}|ties=doc_id_descending|v1" for measure in made.measures),
            settings=(("alpha", "0.05"), ("test", f"permutation{text}")),
        ),
        queries=c.Queries(
            made.measures[0],
            tuple(names),
            tuple(
                c.QueryValues(str(n + 1), made.words(4), tuple(made.draw.random() for _ in names))
                for n in range(queries)
            ),
        ),
    )
