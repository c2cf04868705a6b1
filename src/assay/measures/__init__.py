"""Counts -> numbers: one module a family of measures, each measure registered where it is defined."""

from assay.measures.average_precision import AP, GMAP, Bpref, GMBpref, InfAP
from assay.measures.cascade import ERR, RBP, RR, RBPResidual
from assay.measures.coverage import Judged, NumNonRelRet, NumQ, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.gain import CG, DCG, IDCG, nDCG
from assay.measures.parser import parse_measure
from assay.measures.precision import F, IPrec, IPrecMean, P, R, RelP, Rprec, RprecMult, Success
from assay.measures.reference import BinG, G, Rndcg, TrecRBP, TrecRBPResidual, Yaap, nDCGRel
from assay.measures.registry import Measure, measure, registered
from assay.measures.sets import SetAP, SetF, SetP, SetR, SetRelP, Utility
from assay.measures.steps import PerQuery, Steps

__all__ = [
    "AP",
    "CG",
    "DCG",
    "ERR",
    "GMAP",
    "IDCG",
    "RBP",
    "RR",
    "BinG",
    "Bpref",
    "F",
    "G",
    "GMBpref",
    "IPrec",
    "IPrecMean",
    "InfAP",
    "Judged",
    "Measure",
    "NumNonRelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PerQuery",
    "R",
    "RBPResidual",
    "RelP",
    "Rndcg",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Steps",
    "Success",
    "TrecRBP",
    "TrecRBPResidual",
    "Unjudged",
    "Utility",
    "Yaap",
    "measure",
    "nDCG",
    "nDCGRel",
    "parse_measure",
    "registered",
]  # fmt: skip
