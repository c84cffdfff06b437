"""Pictures of rules, frontiers, audits and scores, with matplotlib."""

from .audits import plot_audit
from .frontiers import plot_frontier
from .rules import plot_rule
from .scores import plot_reliability, plot_roc

__all__ = ["plot_audit", "plot_frontier", "plot_reliability", "plot_roc", "plot_rule"]
