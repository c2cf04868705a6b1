"""Who sees which variant: deterministic assignment by hash. The standard library is all that a single call needs.

A search service imports this module alone, in a few milliseconds:

>>> from assay.core.assignment import Assignment, assign
>>> new_ranking = Assignment("new-ranking", ("control", "treatment"), weights=(0.9, 0.1))
>>> assign("user-17", new_ranking)
'control'

The hashes `v1` and `v2` are those of GrowthBook's SDKs, so that who moves keeps everybody's variant; `blake2` is a
cryptographic one. A unit has a number from 0 to 1, of which each variant has a range; what `coverage` leaves over is in
no variant, and grows into one when coverage grows, so that nobody changes sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import polars as pl

HashName: TypeAlias = Literal["v1", "v2", "blake2"]
HASHES: tuple[HashName, ...] = ("v1", "v2", "blake2")

_OFFSET, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
#: So many buckets has a hash.
_BUCKETS = {"v1": 1000, "v2": 10000}
#: A 64-bit number divided by this is from 0 to 1; the last bits of a double would round up.
_DIGEST, _PRECISE = 8, 53
#: Weights that do not add up to 1, but for so much, are taken for none, as GrowthBook does.
_OFF = 0.01


class Namespace(NamedTuple):
    """A part of all units, for experiments that exclude one another: those of a name whose ranges do not overlap."""

    name: str
    low: float = 0.0
    high: float = 1.0


class Assignment(NamedTuple):
    """The plan of an assignment.

    `weights`: the share of each variant (equal ones unless given). `coverage`: the share of all units that take part.
    `seed`: what is hashed with the unit, unless it is the key; experiments with one seed assign alike. `forced`: units
    and the variants that they see whatever their hash, such as testers, or people who saw a variant before.
    """

    key: str
    variants: tuple[str, ...] = ("control", "treatment")
    weights: tuple[float, ...] | None = None
    coverage: float = 1.0
    hash: HashName = "v2"
    seed: str | None = None
    namespace: Namespace | None = None
    forced: Mapping[str, str] = {}

    @property
    def salt(self) -> str:
        """What is hashed with each unit."""
        return self.key if self.seed is None else self.seed

    def check(self) -> None:
        """Refuse what is no plan."""
        if len(self.variants) < 2 or len(set(self.variants)) < len(self.variants):
            raise ValueError(f"{self.key}: expected two variants or more, each with a name of its own")
        if self.weights is not None and (len(self.weights) != len(self.variants) or min(self.weights) < 0):
            raise ValueError(f"{self.key}: expected a weight from 0 on for each variant, got {self.weights}")
        if self.weights is not None and abs(sum(self.weights) - 1) > _OFF:
            raise ValueError(f"{self.key}: expected weights that add up to 1, got {sum(self.weights):g}")
        if not 0 <= self.coverage <= 1:
            raise ValueError(f"{self.key}: coverage lies between 0 and 1, not {self.coverage:g}")
        if self.hash not in HASHES:
            raise ValueError(f"{self.key}: the hash is one of {', '.join(HASHES)}, not {self.hash!r}")
        for unit, variant in self.forced.items():
            if variant not in self.variants:
                raise ValueError(f"{self.key}: {unit!r} is forced into {variant!r}, which is no variant")


def assign(unit: str, experiment: Assignment, sticky: str | None = None) -> str | None:
    """The variant of a unit; None if it takes no part. `sticky`: the variant that it saw before, which it keeps.

    >>> assign("anna", Assignment("checkout", forced={"anna": "treatment"}))
    'treatment'
    """
    if unit in experiment.forced:
        return experiment.forced[unit]
    if not unit:
        return None
    if sticky is not None and sticky in experiment.variants:
        return sticky
    space = experiment.namespace
    if space is not None and not space.low <= bucket(unit, f"__{space.name}", "v1") < space.high:
        return None
    place = bucket(unit, experiment.salt, experiment.hash)
    for variant, (low, high) in zip(experiment.variants, ranges(experiment), strict=True):
        if low <= place < high:
            return variant
    return None


def ranges(experiment: Assignment) -> list[tuple[float, float]]:
    """The range of each variant.

    >>> ranges(Assignment("k", coverage=0.5))
    [(0.0, 0.25), (0.5, 0.75)]
    """
    weights = experiment.weights or (1 / len(experiment.variants),) * len(experiment.variants)
    found, start = [], 0.0
    for weight in weights:
        found.append((start, start + experiment.coverage * weight))
        start += weight
    return found


def bucket(unit: str, seed: str, hash: HashName = "v2") -> float:
    """The number of a unit, from 0 to 1.

    >>> bucket("a", "seed", "v2"), bucket("a", "seed", "v1")
    (0.0505, 0.913)
    """
    if hash == "v2":
        return fnv1a(str(fnv1a(seed + unit))) % 10000 / 10000
    if hash == "v1":
        return fnv1a(unit + seed) % 1000 / 1000
    from hashlib import blake2b  # noqa: PLC0415  # it takes as long to load as all else here

    digest = blake2b(f"{seed}\0{unit}".encode(), digest_size=_DIGEST).digest()
    return float((int.from_bytes(digest) >> (64 - _PRECISE)) / (1 << _PRECISE))


def fnv1a(text: str, value: int = _OFFSET) -> int:
    """The 32-bit FNV-1a hash of the code points of a text.

    >>> hex(fnv1a("a"))
    '0xe40c292c'
    """
    for character in text:
        value = ((value ^ ord(character)) * _PRIME) & _MASK
    return value


def assign_all(units: Sequence[str] | pl.Series, experiment: Assignment) -> pl.Series:
    """The variants of many units, null where one takes no part: the same as `assign` of each.

    >>> assign_all(["u1", "u2", "u3"], Assignment("k")).to_list()
    ['control', 'treatment', 'control']
    """
    import numpy as np  # noqa: PLC0415  # single calls do without
    import polars as pl  # noqa: PLC0415

    names = units.cast(pl.String) if isinstance(units, pl.Series) else pl.Series(list(units), dtype=pl.String)
    texts = names.fill_null("")
    points, lengths = _points(texts)
    places = buckets(texts, experiment.salt, experiment.hash, points=(points, lengths))
    takes_part = lengths > 0
    if (space := experiment.namespace) is not None:
        within = buckets(texts, f"__{space.name}", "v1", points=(points, lengths))
        takes_part &= (within >= space.low) & (within < space.high)
    chosen = np.full(len(texts), -1)
    for place, (low, high) in reversed([*enumerate(ranges(experiment))]):
        chosen[(places >= low) & (places < high) & takes_part] = place
    for unit, variant in experiment.forced.items():
        chosen[(texts == unit).to_numpy()] = experiment.variants.index(variant)
    numbers = pl.Series("variant", chosen)
    return numbers.replace_strict(
        [*range(len(experiment.variants))], list(experiment.variants), default=None, return_dtype=pl.String
    )


def buckets(units: pl.Series, seed: str, hash: HashName = "v2", *, points: tuple[Any, Any] | None = None) -> Any:
    """The numbers of many units; see `bucket`."""
    import numpy as np  # noqa: PLC0415

    if hash == "blake2":
        return _of_digests(units.to_list(), seed)
    codes, lengths = _points(units) if points is None else points
    start = np.uint32(fnv1a(seed) if hash == "v2" else _OFFSET)
    values = np.full(len(codes), start, dtype=np.uint32)
    with np.errstate(over="ignore"):
        for place in range(codes.shape[1]):
            hashed = (values ^ codes[:, place]) * np.uint32(_PRIME)
            values = np.where(lengths > place, hashed, values)
        if hash == "v1":
            for character in seed:
                values = (values ^ np.uint32(ord(character))) * np.uint32(_PRIME)
            return (values % 1000) / 1000
        return (_of_digits(values) % 10000) / 10000


def _of_digests(units: Sequence[str], seed: str) -> Any:
    """The numbers of many units by BLAKE2, whose state after the seed is the same for all of them."""
    from hashlib import blake2b  # noqa: PLC0415

    import numpy as np  # noqa: PLC0415

    start, digests = blake2b(f"{seed}\0".encode(), digest_size=_DIGEST), []
    for unit in units:
        state = start.copy()
        state.update(unit.encode())
        digests.append(state.digest())
    numbers = np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)
    return (numbers >> np.uint64(64 - _PRECISE)) / (1 << _PRECISE)


def _points(units: pl.Series) -> tuple[Any, Any]:
    """The code points of texts, a row each, and how many there are."""
    import numpy as np  # noqa: PLC0415

    texts = np.array(units.to_list(), dtype=np.str_)
    lengths = units.str.len_chars().to_numpy().astype(np.int64)
    width = texts.dtype.itemsize // 4
    return texts.view(np.uint32).reshape(len(units), width) if width else np.zeros((len(units), 0), np.uint32), lengths


def _of_digits(numbers: Any) -> Any:
    """The hash of numbers as they are written in decimals."""
    import numpy as np  # noqa: PLC0415

    values = np.full(len(numbers), _OFFSET, dtype=np.uint32)
    power = 10**9
    while power:
        digit = numbers // np.uint32(power) % np.uint32(10)
        hashed = (values ^ (digit + np.uint32(ord("0")))) * np.uint32(_PRIME)
        values = np.where((numbers >= power) | (power == 1), hashed, values)
        power //= 10
    return values
