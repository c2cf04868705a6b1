"""Files made to fill the memory or to take for ever: a few KB that inflate to GB, and text that invites rereading."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from cases import in_turn
from command import run_assay

import assay

READERS: dict[str, Callable[..., Any]] = {
    "run": assay.read_run, "qrels": assay.read_qrels, "topics": assay.read_topics, "documents": assay.read_documents,
    "predictions": assay.read_predictions, "clusters": assay.read_clusters, "scores": assay.read_scores,
}  # fmt: skip
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lambda data: lzma.compress(data, preset=0),
    "zst": zstandard.compress,
}  # fmt: skip
MOST = 16 << 20
REMARK = b"#" + b" " * ((1 << 20) - 2) + b"\n"
RUN = b"q1 Q0 d1 1 0.5 mine\n"


@in_turn("kind", READERS)
def test_zeros_that_inflate_to_gigabytes_are_refused_in_bounded_memory(kind: str) -> None:
    bomb = zstandard.compress(bytes(1 << 24)) * 128  # 2 GB
    tracemalloc.start()
    try:
        with pytest.raises(assay.AssayError):
            READERS[kind](io.BytesIO(bomb))
        assert tracemalloc.get_traced_memory()[1] < 24 * MOST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("ending", PACKED)
def test_a_compressed_file_may_hold_16_mb_or_a_hundred_times_its_size(ending: str, tmp_path: Path) -> None:
    megabyte = PACKED[ending](REMARK)
    path = tmp_path / f"bomb.run.{ending}"
    path.write_bytes(PACKED[ending](RUN) + 16 * megabyte)
    size = path.stat().st_size
    with pytest.raises(assay.FormatError) as refused:
        assay.read_run(path)
    said = f"{path}: expected {size:,} compressed bytes to hold at most {max(MOST, 100 * size):,} "
    assert str(refused.value) == said + "(to read it all the same, decompress it first)"
    path.write_bytes(PACKED[ending](RUN) + 15 * megabyte)
    assert assay.read_run(path).frame.height == 1


def test_the_same_bytes_without_compression_are_read(tmp_path: Path) -> None:
    (tmp_path / "plain.run").write_bytes(RUN + 65 * REMARK)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    done = run_assay("evaluate", "qrels.txt", "plain.run", "-m", "AP", "--csv", "--quiet", folder=tmp_path)
    assert done.stdout == "system,AP\nplain,1.0\n"


def test_a_line_without_end_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "endless.run"
    with path.open("wb") as file:
        file.write(RUN)
        file.truncate(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(assay.FormatError, match="expected lines of at most 16,777,216 bytes"):
            assay.read_run(path)
        assert tracemalloc.get_traced_memory()[1] < 16 * MOST
    finally:
        tracemalloc.stop()


def test_an_xz_file_may_not_ask_for_a_dictionary_of_gigabytes() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    packed = lzma.compress(RUN, filters=filters)
    with pytest.raises(assay.FormatError, match="Memory usage limit"):
        assay.read_run(io.BytesIO(packed))


def test_zstandard_frames_of_every_kind_are_read_to_their_end() -> None:
    """With and without checksum and size; empty, skipped; one after the other; and a whole file of small blocks."""
    lines = b"".join(b"q1 Q0 d%d 1 %d mine\n" % (number, -number) for number in range(20_000))
    streamed = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compressobj()
    parts = [streamed.compress(lines), streamed.flush()]
    parts += [zstandard.compress(b""), b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"]
    parts += [zstandard.ZstdCompressor(level=19).compress(b"q2 Q0 d1 1 1 mine\n")]
    whole = b"".join(parts)
    assert assay.read_run(io.BytesIO(whole)).frame.height == 20_001
    for cut in range(len(whole) - 12, len(whole)):
        with pytest.raises(assay.FormatError, match="end in the middle"):
            assay.read_run(io.BytesIO(whole[:cut]))


def keys(count: int) -> str:
    return "{" + ",".join(f'"k{number}": {{"d": 1}}' for number in range(count)) + ', "k0": {"d": 1}}'


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "blank lines before a header": ("run", lambda n: "\n" * n + "query_id,doc_id,score\nq1,d1,1\n"),
    "comments before a header": ("run", lambda n: "#\n" * n + "query_id,doc_id,score\nq1,d1,1\n"),
    "blank lines before a TREC run": ("run", lambda n: "\n" * n + RUN.decode()),
    "comments that never end": ("topics", lambda n: "<top>" + "<!--" * n + "<num>1<title>tea</top>"),
    "instructions that never end": ("topics", lambda n: "<top>" + "<?" * n + "<num>1<title>tea</top>"),
    "elements that never end": ("documents", lambda n: f"<DOC><DOCNO>1</DOCNO>{'<title>' * n}{'<text>' * n}</DOC>"),
    "heads that never end": ("documents", lambda n: "<DOC><DOCNO>1</DOCNO>" + "<docid>" * n + "</DOC>"),
    "a tag of many letters": ("documents", lambda n: f"<DOC><DOCNO>1</DOCNO><{'a' * n}</DOC>"),
    "an attribute of many letters": ("topics", lambda n: f"<topic {'a' * n} number='1'><title>tea</topic>"),
    "many columns of scores": ("scores", lambda n: f"unit,{','.join(map(str, range(n)))}\n{'1,' * n}1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_what_repeats_itself_is_read_at_once(name: str) -> None:
    """One record, or one score per column; in quadratic time, each of these would take minutes or longer."""
    kind, text = LONG[name]
    table: Any = READERS[kind](io.BytesIO(text(20_000).encode()))
    assert table.frame.height == (20_000 if kind == "scores" else 1)


def test_two_mb_of_blank_lines_and_sixty_thousand_keys_are_read() -> None:
    table = "\n" * (2 << 20) + "query_id,doc_id,score\nq1,d1,2.5\n"
    assert assay.read_run(io.StringIO(table)).frame.rows() == [("q1", "d1", 2.5)]
    run = {f"q{number}": {"d": 1} for number in range(60_000)}
    assert assay.read_run(io.StringIO(json.dumps(run))).frame.height == 60_000
    with pytest.raises(assay.FormatError, match="expected each key once in an object, got 'k0'"):
        assay.read_run(io.StringIO(keys(60_000)))


@in_turn("read", [assay.read_documents, assay.read_predictions])
@in_turn("shape", ["{}", "[{}]"])
def test_objects_that_have_no_keys_in_common_make_no_table_of_empty_cells(
    read: Callable[..., object], shape: str
) -> None:
    start = '{"_id": "d", "text": "t", "truth": "a", "prediction": "a", '
    rows = [f'{start}"k{number}": 1}}' for number in range(20_000)]
    text = shape.format(("," if "[" in shape else "\n").join(rows))
    with pytest.raises(assay.FormatError, match="20,000 objects have 20,004 different ones"):
        read(io.StringIO(text))
    few = "\n".join(f'{start}"k{number % 300}": {number}}}' for number in range(600))
    assert assay.read_predictions(io.StringIO(few), truth="truth", prediction="prediction") is not None


def test_comments_that_end_are_left_out_and_others_are_text() -> None:
    text = "<top><!-- a\n--><num>1<title>black <!-- no --> tea <!-- yes</top>\n<top><num>2<title>x</top>"
    assert assay.read_topics(io.StringIO(text)).frame["title"].to_list() == ["black tea <!-- yes", "x"]
