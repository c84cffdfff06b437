"""What a tally holds, and how it is read."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core, _options, _tables

COUNTS = ("score", "n", "n1")
"""What the columns of a tally are called, beside its attributes."""


class Counts:
    """Counts per cell and score with their settings, and where they are from."""

    __slots__ = ("_core", "_lock", "_source")

    def _hold(self, core: _core.Tally, source: _core.TallySource) -> None:
        self._core = core
        self._source = source
        self._lock = threading.Lock()

    def _now(self) -> tuple[_core.Tally, _core.TallySource]:
        """Return counts and source that belong together, whoever is adding."""
        with self._lock:
            return self._core, self._source

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes: sensitive ones first, then within."""
        return self._core.attributes

    @property
    def sensitive(self) -> list[str]:
        """Names of the attributes whose groups are compared."""
        return self._source.sensitive

    @property
    def within(self) -> list[str]:
        """Names of the attributes inside whose values groups are compared."""
        return self._source.within

    @property
    def cells(self) -> list[dict[str, str]]:
        """The cells, in ascending order of their values."""
        names = self.attributes
        return [dict(zip(names, values, strict=True)) for values in self._core.cells]

    @property
    def scale(self) -> str:
        """How a score is read."""
        return self._core.scale

    @property
    def favorable(self) -> str:
        """Which scores deserve the favourable decision."""
        return self._core.favorable

    @property
    def resolution(self) -> str:
        """How finely scores are told apart."""
        return self._core.resolution

    @property
    def level(self) -> int | None:
        """Of the intervals ``[k, k + 1) / 2**level``, None while scores are exact."""
        return self._core.level

    @property
    def labelled(self) -> bool:
        """Whether there are labels."""
        return self._core.labelled

    @property
    def weighted(self) -> bool:
        """Whether rows had weights."""
        return not self._core.unit_weights

    @property
    def excluded(self) -> int:
        """The number of rows that were left out for a missing value."""
        return self._source.excluded

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the bytes of the tally as it was counted, before any pooling or projection."""
        return _core.tally_fingerprint(*self._now())

    @property
    def parts(self) -> list[str]:
        """Fingerprints of the tallies that were merged, sorted; empty if none were."""
        return self._source.parts

    def _rows(self) -> int | None:
        """Count the rows, if they are known: weights do not tell."""
        return _core.tally_rows(*self._now())

    @property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self._core.total

    def entries(self, cell: int) -> dict[str, npt.NDArray[np.float64]]:
        """Return the distinct scores of a cell with their counts.

        Parameters
        ----------
        cell : int
            Its position in ``cells``.

        Returns
        -------
        dict
            The arrays ``score`` (in the caller's scale), ``n`` and, with labels, ``n1``.
        """
        core = self._core
        cells = len(core.cells)
        code = _options.whole(cell, "cell", -(2**63), 2**63 - 1)
        if not 0 <= code < cells:
            raise IndexError(f"there is no cell {code}: the tally has {cells}, from 0")
        _, score, n, n1 = core.entries(code)
        out = {"score": score, "n": n}
        return out if n1 is None else {**out, "n1": n1}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of its file: attributes, ``score``, ``n`` and, with labels, ``n1``."""
        return {name: column.tolist() for name, column in self._columns().items()}

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        core = self._core
        for name in core.attributes:
            if name.lower() in COUNTS:
                raise ValueError(f"an attribute is called {name!r} like another column of a tally")
        code, score, n, n1 = core.all_entries()
        cells = core.cells
        out: dict[str, npt.NDArray[Any]] = {}
        for i, name in enumerate(core.attributes):
            values = np.array([cell[i] for cell in cells], dtype=object)
            out[name] = values[code]
        out["score"] = score
        out["n"] = n
        if n1 is not None:
            out["n1"] = n1
        return out

    def __repr__(self) -> str:
        """Say what it counts."""
        what = "weight" if self.weighted else "rows"
        cells = len(self._core.cells)
        labels = ", labelled" if self.labelled else ""
        return f"Tally({self.total:,.10g} {what}, {cells} cells of {self.attributes}{labels})"

    def _repr_html_(self) -> str:
        return _tables.html_lines(repr(self))
