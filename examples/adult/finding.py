"""What was found about a claim, and the words for it."""

from dataclasses import dataclass

REPRODUCED = "reproduced"
IN_DIRECTION = "reproduced in direction"
NOT_REPRODUCED = "not reproduced"
VERDICTS = (REPRODUCED, IN_DIRECTION, NOT_REPRODUCED)


@dataclass(frozen=True)
class Finding:
    """What was measured, and what follows."""

    measured: str
    verdict: str


def verdict(full: bool, direction: bool = False) -> str:
    """Return the best verdict that holds."""
    return REPRODUCED if full else IN_DIRECTION if direction else NOT_REPRODUCED
