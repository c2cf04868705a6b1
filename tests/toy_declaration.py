"""What the toy subjects say of themselves, as a package of one's own does: nothing here loads NumPy or Polars."""

from assay.core.declarations import Declaration, usual_commands

READING = Declaration(
    name="reading",
    subject="toy_subject:READING",
    word="toy",
    summary="Measure how long people read pages.",
    module="toy_commands",
    commands={"evaluate": "Show how long each page was read.", **usual_commands("layout", "reading times", "pages")},
    presenters={"reading times": "toy_subject:reading_document"},
)
VISITS = Declaration(name="visits", subject="toy_designs:VISITS")
VOTES = Declaration(name="votes", subject="toy_designs:VOTES")
