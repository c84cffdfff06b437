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
        Relaxing every bound by this much would make them feasible.

    There is no certificate if rules exist, but none with so few coins as ``lottery`` and
    ``max_lottery`` allow.

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
    def from_record(cls, record: dict[str, Any]) -> InfeasibleError:
        """Say it as the tool does."""
        return cls(
            record["message"],
            record["clash"],
            record["certificate"],
            record["total_violation"],
            record["common_slack"],
        )


class TooFewRowsError(ValueError):
    """There are too few rows to certify a rule.

    Attributes
    ----------
    rows, rows_needed : float
        How many there are, and about how many rows like these are needed.
    smallest : float
        The smallest tolerance (for four-fifths: the largest ratio) that these rows can certify at
        the rates of the plain fit.
    too_few_in : list of dict
        The strata with too few rows.
    """

    def __init__(
        self,
        message: str,
        rows: float,
        rows_needed: float,
        smallest: float,
        too_few_in: list[dict[str, str]],
    ) -> None:
        super().__init__(message)
        self.rows = rows
        self.rows_needed = rows_needed
        self.smallest = smallest
        self.too_few_in = too_few_in

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the figures when the error comes from another process."""
        parts = (self.rows, self.rows_needed, self.smallest, self.too_few_in)
        return type(self), (str(self), *parts)

    @classmethod
    def from_record(cls, message: str, record: dict[str, Any]) -> TooFewRowsError:
        """Say it as the tool does."""
        name = "largest_ratio" if "largest_ratio" in record else "smallest_tolerance"
        rows, needed = record["rows"], record["rows_needed"]
        return cls(message, rows, needed, record[name], record["too_few_in"])
