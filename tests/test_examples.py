"""`assay examples` makes a folder of examples, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import invoke

from assay import InputError
from assay.cli.files import lay_out


def test_the_examples_are_the_data_that_come_along(tmp_path: Path) -> None:
    done = invoke(["examples", str(tmp_path / "deep" / "mine")])
    assert done.exit_code == 0
    made = tmp_path / "deep" / "mine"
    for name in ("qrels.txt", "words.run", "bicycles/qrels.txt", "letters/spam.csv", "notes"):
        assert (made / name).exists()
    assert [path.name for path in made.parent.iterdir()] == ["mine"]


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="does not exist yet"):
        lay_out(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_file_in_the_way_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        lay_out(tmp_path / "file" / "mine")
