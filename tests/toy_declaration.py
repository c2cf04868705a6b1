"""What the toy subjects say of themselves, as a package of one's own does: nothing here loads NumPy or Polars."""

from assay.core.declarations import Columns, Declaration, role_of, usual_commands

READING = Declaration(
    name="reading",
    subject="toy_subject:READING",
    word="toy",
    summary="Measure how long people read pages.",
    module="toy_commands",
    commands={"evaluate": "Show how long each page was read.", **usual_commands("layout", "reading times", "pages")},
    table="reading times",
    columns=Columns(
        (
            role_of("layout", "label", "design"),
            role_of("page", "id", "url"),
            role_of("seconds", "number", "time_on_page"),
        ),
        needed=(("layout",), ("page",), ("seconds",)),
    ),
    vocabularies=("reading",),
    families=("toy_seconds",),
    listed={"toy": "List measures of reading times."},
    presenters={"reading times": "toy_subject:reading_document"},
)
VISITS = Declaration(name="visits", subject="toy_designs:VISITS")
VOTES = Declaration(name="votes", subject="toy_designs:VOTES")
