"""Why one person gets a decision, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Explanation:
    """Why one person gets the decision.

    Attributes
    ----------
    cell : dict
        The person's attributes.
    score : float
        The person's score.
    probability : float
        Of a positive decision.
    threshold : float or None
        The score from which (where low scores are favourable: up to which) the decision is
        certainly positive; None if it never is.
    chance : str
        The probability in words: "yes", "no" or "in 91 of 100 cases".
    rule : str
        What holds for everybody in that cell, in words.
    """

    cell: dict[str, str]
    score: float
    probability: float
    threshold: float | None
    chance: str
    rule: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.rule}; a score of {self.score:.6g}: {self.chance}"


def in_words(probability: float) -> str:
    """Say how likely a positive decision is."""
    if probability == 0:
        return "no"
    if probability == 1:
        return "yes"
    percent = round(100 * probability)
    if percent in (0, 100):
        return f"in {probability:.4%} of cases"
    return f"in {percent} of 100 cases"


def certain_from(response: dict[str, Any]) -> float | None:
    """Return the score from which a cell's people are sure of a positive decision, if any is."""
    if response.get("start") == 1:
        return float("-inf")
    points = response.get("steps", response.get("ramp", []))
    return next((score for score, probability in points if probability == 1), None)
