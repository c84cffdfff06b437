"""What is raised beside Python's own ValueError, TypeError and IndexError."""

from __future__ import annotations

from typing import Any


class InfeasibleError(ValueError):
    """No rule meets the requirements.

    Attributes
    ----------
    clash : list of str
        The requirements that cannot be met together, as they were written.
    certificate : list of dict
        Constraints with the multipliers that prove it: over all rules the sum of
        ``multiplier * (value - bound)`` is above zero.
    total_violation : float
        The least possible sum of violations of requirements.
    common_slack : float
        The smallest number that, added to every bound, would make them possible.

    Examples
    --------
    >>> import evenhand
    >>> try:
    ...     evenhand.fit([0.2, 0.9], ["a", "b"], require=["rate <= 0.1", "rate >= 0.2"])
    ... except evenhand.InfeasibleError as error:
    ...     print(error.clash)
    ['rate <= 0.1', 'rate >= 0.2']
    """

    def __init__(
        self,
        message: str,
        clash: list[str],
        certificate: list[dict[str, Any]],
        total_violation: float,
        common_slack: float,
    ) -> None:
        super().__init__(message)
        self.clash = clash
        self.certificate = certificate
        self.total_violation = total_violation
        self.common_slack = common_slack

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the proof when the error comes from another process."""
        return type(self), (
            str(self),
            self.clash,
            self.certificate,
            self.total_violation,
            self.common_slack,
        )

    @classmethod
    def from_record(cls, criterion: str | None, record: dict[str, Any]) -> InfeasibleError:
        """Say it as the tool does."""
        clash: list[str] = record["clash"]
        together = f", together with {criterion}" if criterion else ""
        what = "; ".join(clash) + together if clash else "they clash with the criterion"
        slack = record["common_slack"]
        message = (
            f"no rule meets the requirements: {what}; "
            f"a slack of {slack:.6g} in every bound would do"
        )
        return cls(message, clash, record["certificate"], record["total_violation"], slack)
