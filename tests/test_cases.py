"""Cases in turn: a failure names its case, and no case is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import in_turn


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    seen = []

    @in_turn("first", [1, 2, 3])
    @in_turn(("second", "third"), [("a", 0), ("b", 1)])
    def test(first: int, second: str, third: int) -> None:
        seen.append((first, second))
        assert first != 2 or third == 0

    with pytest.raises(AssertionError) as problem:
        test()
    assert seen == [(first, second) for first in (1, 2, 3) for second in "ab"]
    assert problem.value.__notes__ == [
        "1 of 2 cases fail, first shown: [\"('b', 1)\"]", "1 of 3 cases fail, first shown: ['2']",
    ]  # fmt: skip


@in_turn("name", ["one", "other"])
def test_each_case_has_a_folder_and_patches_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(tmp_path.iterdir()) == []
    assert not hasattr(pytest, "patched_by_a_case")
    (tmp_path / name).touch()
    monkeypatch.setattr(pytest, "patched_by_a_case", name, raising=False)
    print(name)
    assert capsys.readouterr().out == f"{name}\n"


def test_a_skipped_case_hides_no_other() -> None:
    @in_turn("number", [1, 2])
    def some(number: int) -> None:
        if number == 1:
            pytest.skip("not here")
        raise ValueError("odd")

    @in_turn("number", [1, 2])
    def none(number: int) -> None:
        pytest.skip(f"not {number}")

    with pytest.raises(ValueError, match="odd"):
        some()
    with pytest.raises(pytest.skip.Exception, match="not 1"):
        none()
