"""The works that a methods paragraph may cite: the entries of `works.bib`, and what each is cited for."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_ENTRY = re.compile(r"^@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)


class Work(NamedTuple):
    """A published work: its entry of the BibTeX file, and the fields of that."""

    kind: str
    fields: dict[str, str]
    bibtex: str

    def entry(self) -> str:
        """The entry of a list of references.

        >>> print(work("holm1979").entry())
        Holm, S. (1979). A simple sequentially rejective multiple test procedure.
        Scandinavian Journal of Statistics, 6(2), 65–70.
        """
        told = self.fields
        authors = told["author"].split(" and ")
        names = authors[0] if len(authors) == 1 else f"{', '.join(authors[:-1])}, & {authors[-1]}"
        issue = f"{told['volume']}({told['number']})" if "number" in told else told.get("volume", "")
        where = ", ".join(part for part in (self._container(), issue, told.get("pages", "").replace("--", "–")) if part)
        parts = (f"{names} ({told['year']})", told["title"], where, told.get("publisher", ""))
        return " ".join(f"{part.removesuffix('.')}." for part in parts if part)

    def _container(self) -> str:
        """The journal, or the proceedings or the book with its editors."""
        if "journal" in self.fields:
            return self.fields["journal"]
        book = self.fields.get("booktitle", "")
        if "editor" in self.fields:
            editors = [" ".join(reversed(name.split(", "))) for name in self.fields["editor"].split(" and ")]
            book = f"{' & '.join(editors)} (Eds.), {book}"
        return f"In {book}" if book else ""


@cache
def works() -> dict[str, Work]:
    """All works by their key."""
    text = (files("assay") / "reporting" / "works.bib").read_text(encoding="utf-8")
    found = {}
    for entry in _ENTRY.finditer(text):
        fields = {
            # Braces keep the capitals of a title, and `&` is escaped, for BibTeX only.
            field["name"]: field["value"].strip("{}").replace(r"\&", "&")
            for field in _FIELD.finditer(entry["fields"])
        }
        found[entry["key"]] = Work(entry["kind"], fields, entry[0])
    return found


def work(key: str) -> Work:
    """A work by its key."""
    return works()[key]


#: What to cite for a measure; others are textbook knowledge, or Assay's docs have their definition.
OF_MEASURES = {
    "AP": "buckley2005", "P": "buckley2005", "R": "buckley2005", "Rprec": "buckley2005", "GMAP": "robertson2006",
    "gAP": "robertson2010", "Bpref": "buckley2004", "InfAP": "yilmaz2006", "RR": "voorhees1999", "ERR": "chapelle2009",
    "nERR": "chapelle2009", "RBP": "moffat2008", "RBPResidual": "moffat2008", "CG": "jarvelin2002",
    "nCG": "jarvelin2002", "DCG": "jarvelin2002", "nDCG": "jarvelin2002", "Q": "sakai2007", "F": "vanrijsbergen1979",
    "SetF": "vanrijsbergen1979", "MCC": "matthews1975", "INST": "bailey2015", "alpha_nDCG": "clarke2008",
    "alpha_DCG": "clarke2008", "ERR_IA": "chapelle2011", "StRecall": "zhai2003",
}  # fmt: skip
OF_TESTS = {
    "permutation": ("smucker2007",), "bootstrap": ("sakai2006",), "t": ("student1908", "smucker2007"),
    "wilcoxon": ("wilcoxon1945", "pratt1959"), "sign": ("dixon1946",), "tukey": ("tukey1949", "carterette2012"),
    "randomised_tukey": ("carterette2012",),
}  # fmt: skip
OF_CORRECTIONS = {"holm": "holm1979", "bonferroni": "dunn1961", "benjamini-hochberg": "benjamini1995"}
OF_INTERVALS = {
    "hull": ("student1908", "efron1987"), "bca": ("efron1987",), "percentile": ("efron1993",), "t": ("student1908",),
}  # fmt: skip
OF_EXPONENTIAL_GAIN = "burges2005"
OF_EQUIVALENCE = "schuirmann1987"
OF_POWER = "webber2008"
#: The same for what classifiers are measured by, and for the intervals of that.
OF_LABEL_MEASURES = {
    "F": "vanrijsbergen1979", "MCC": "matthews1975", "Youden": "youden1950", "Kappa": "cohen1960", "Brier": "brier1950",
}  # fmt: skip
#: The same for what clusterings are measured by, and for what they rest on.
OF_CLUSTER_MEASURES = {
    "Purity": "zhao2004", "ARI": "hubert1985", "Rand": "rand1971", "NMI": "strehl2002", "AMI": "vinh2010",
    "Homogeneity": "rosenberg2007", "Completeness": "rosenberg2007", "VMeasure": "rosenberg2007",
    "FowlkesMallows": "fowlkes1983", "BCubedPrecision": "bagga1998", "BCubedRecall": "bagga1998",
    "BCubedF": "bagga1998", "VI": "meila2007", "Silhouette": "rousseeuw1987", "DaviesBouldin": "davies1979",
    "CalinskiHarabasz": "calinski1974",
}  # fmt: skip
OF_SUBSAMPLING = "politis1994"
OF_STABILITY = "benhur2002"
OF_REFERENCE_DATA = "tibshirani2001"
OF_LABEL_INTERVALS = {"wilson": "wilson1927", "DeLong, logit": "delong1988", "bootstrap": "efron1993"}
