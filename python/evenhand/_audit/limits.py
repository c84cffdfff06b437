"""Audits against limits, for tests and pipelines."""

from __future__ import annotations

from .. import _core, _options
from .._solve.bound import Bound


class Checked:
    """What audits of known groups say about limits."""

    largest_difference: float | None
    smallest_ratio: float | None
    difference_bound: Bound | None
    ratio_bound: Bound | None

    def check(
        self, *,
        fail_above: float | None = None, fail_below: float | None = None,
        fail_if_shown_above: float | None = None, fail_unless_shown_below: float | None = None,
        fail_if_shown_ratio_below: float | None = None,
        fail_unless_shown_ratio_above: float | None = None,
    ) -> list[str]:  # fmt: skip
        """Return a sentence for each limit that is exceeded; none if all are kept.

        The limits are those of the tool's ``audit``, each from 0 to 1.

        Parameters
        ----------
        fail_above : float, optional
            Of the largest difference.
        fail_below : float, optional
            Of the smallest ratio, for example 0.8.
        fail_if_shown_above, fail_if_shown_ratio_below : float, optional
            The same only if the data show it of new people, with the audit's confidence.
        fail_unless_shown_below, fail_unless_shown_ratio_above : float, optional
            The same unless the data show, with that confidence, that the limit is kept among new
            people.

        Returns
        -------
        list of str

        Raises
        ------
        ValueError
            If there is no limit, one is out of range, or nothing was compared.

        Examples
        --------
        >>> import evenhand
        >>> audit = evenhand.audit([0.2, 0.8, 0.7, 0.9], ["F", "F", "M", "M"])
        >>> audit.check(fail_above=0.3)
        ['the largest difference is 0.5, above 0.3']
        >>> audit.check(fail_above=0.5, fail_if_shown_above=0.1)
        []
        """
        bounds = None
        if self.difference_bound is not None and self.ratio_bound is not None:
            bounds = self.difference_bound, self.ratio_bound
        limits = {
            "fail_above": fail_above,
            "fail_below": fail_below,
            "fail_if_shown_above": fail_if_shown_above,
            "fail_unless_shown_below": fail_unless_shown_below,
            "fail_if_shown_ratio_below": fail_if_shown_ratio_below,
            "fail_unless_shown_ratio_above": fail_unless_shown_ratio_above,
        }
        return _failures(limits, self.largest_difference, self.smallest_ratio, bounds)


class SoftChecked:
    """What audits of soft groups say about limits."""

    largest_difference: float | None
    smallest_ratio: float | None

    def check(
        self, *, fail_above: float | None = None, fail_below: float | None = None
    ) -> list[str]:
        """Return a sentence for each limit that is exceeded, as :meth:`Audit.check` does."""
        limits = {"fail_above": fail_above, "fail_below": fail_below}
        return _failures(limits, self.largest_difference, self.smallest_ratio)


def _failures(
    limits: dict[str, float | None],
    difference: float | None,
    ratio: float | None,
    bounds: tuple[Bound, Bound] | None = None,
) -> list[str]:
    """Return a sentence for each limit that is exceeded, as the tool says it."""
    given = {}
    for name, value in limits.items():
        limit = _options.optional_number(value, name)
        if limit is None:
            continue
        if not 0 <= limit <= 1:
            raise ValueError(f"{name} takes a number from 0 to 1, not {value}")
        given[name] = limit
    if not given:
        raise ValueError("give a limit, for example fail_above=0.05")
    known = [None, None] if bounds is None else [_parts(bound) for bound in bounds]
    return _core.audit_failures(given, difference, ratio, *known)


def _parts(bound: Bound) -> tuple[float | None, float | None, str, float]:
    return bound.value, bound.shown, bound.reason, bound.confidence
