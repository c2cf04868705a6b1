"""Counts -> numbers: one module a family of measures, each measure registered where it is defined.

Families that rankings have no use for are loaded when their vocabulary is: see `vocabularies`.
"""

from assay.measures.average_precision import AP, GMAP, Bpref, GMBpref, InfAP
from assay.measures.cascade import ERR, RBP, RR, FirstRank, RBPResidual, nERR
from assay.measures.counted_decisions import (
    FN,
    FP,
    TN,
    TP,
    Negatives,
    Positives,
    PredictedNegatives,
    PredictedPositives,
    Right,
    Wrong,
)
from assay.measures.coverage import Judged, NumNonRelRet, NumQ, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.decisions import (
    MCC,
    NPV,
    Accuracy,
    ArithmeticMean,
    ErrorRate,
    Fallout,
    GeometricMean,
    Jaccard,
    Prevalence,
    Specificity,
)
from assay.measures.diversity import ERR_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA
from assay.measures.gain import CG, DCG, IDCG, nCG, nDCG
from assay.measures.graded_precision import Q, gAP
from assay.measures.parser import parse_measure
from assay.measures.precision import F, IPrec, IPrecMean, P, R, RelP, Rprec, RprecMult, Success
from assay.measures.precision_recall import BreakEven, InterpolatedAP, PrecisionAtRecall, SystemEfficiency
from assay.measures.rates import FDR, FNR, FOR, BalancedAccuracy, ExactMatch, Markedness, Youden
from assay.measures.reference import BinG, G, Rndcg, TrecRBP, TrecRBPResidual, Yaap, nDCGRel
from assay.measures.registry import Measure, measure
from assay.measures.roc_area import AUC
from assay.measures.sets import SetAP, SetF, SetP, SetR, SetRelP, Utility
from assay.measures.skill import DOR, Kappa, LRMinus, LRPlus
from assay.measures.steps import PerUnit, Steps
from assay.measures.user_goals import INSQ, INST
from assay.measures.vocabularies import Vocabulary, registered

__all__ = [
    "AP",
    "AUC",
    "CG",
    "DCG",
    "DOR",
    "ERR",
    "ERR_IA",
    "FDR",
    "FN",
    "FNR",
    "FOR",
    "FP",
    "GMAP",
    "IDCG",
    "INSQ",
    "INST",
    "MCC",
    "NPV",
    "RBP",
    "RR",
    "TN",
    "TP",
    "Accuracy",
    "ArithmeticMean",
    "BalancedAccuracy",
    "BinG",
    "Bpref",
    "BreakEven",
    "ErrorRate",
    "ExactMatch",
    "F",
    "Fallout",
    "FirstRank",
    "G",
    "GMBpref",
    "GeometricMean",
    "IPrec",
    "IPrecMean",
    "InfAP",
    "InterpolatedAP",
    "Jaccard",
    "Judged",
    "Kappa",
    "LRMinus",
    "LRPlus",
    "Markedness",
    "Measure",
    "Negatives",
    "NumNonRelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PerUnit",
    "Positives",
    "PrecisionAtRecall",
    "PredictedNegatives",
    "PredictedPositives",
    "Prevalence",
    "Q",
    "R",
    "RBPResidual",
    "RelP",
    "Right",
    "Rndcg",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Specificity",
    "StRecall",
    "Steps",
    "Success",
    "SystemEfficiency",
    "TrecRBP",
    "TrecRBPResidual",
    "Unjudged",
    "Utility",
    "Vocabulary",
    "Wrong",
    "Yaap",
    "Youden",
    "alpha_DCG",
    "alpha_nDCG",
    "gAP",
    "measure",
    "nCG",
    "nDCG",
    "nDCGRel",
    "nERR",
    "nERR_IA",
    "parse_measure",
    "registered",
]  # fmt: skip
