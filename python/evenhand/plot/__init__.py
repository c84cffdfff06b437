"""Pictures of rules, frontiers, audits, monitors and scores, with matplotlib."""

from .audits import plot_audit
from .frontiers import plot_frontier
from .monitors import plot_monitor
from .rules import plot_rule
from .scores import plot_reliability, plot_roc

__all__ = [
    "plot_audit", "plot_frontier", "plot_monitor",
    "plot_reliability", "plot_roc", "plot_rule",
]  # fmt: skip
