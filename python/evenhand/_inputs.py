"""What callers may pass as columns, and how it becomes the library's.

Nothing here imports pandas, polars or pyarrow: they are known by what they are or can do.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._texts import coded, is_missing, text_of

Column = Any
"""A column: a NumPy array, pandas or polars Series, Arrow array, or a list."""

Columns = Any
"""One or more columns: the same, a frame, a dict of columns, a list of columns, a 2-D array."""


@dataclass(frozen=True)
class ArrowColumn:
    """A column of an Arrow table, or, with -1, an Arrow array itself."""

    data: _core.Arrow
    index: int = -1


@dataclass(frozen=True)
class NamedColumn:
    """A column with its name.

    ``explicit``: the caller gave the name, by a frame, a dict or ``data=``, and columns are found
    by it; ``own``: the column brought it along, as a Series does.
    """

    name: str
    values: Any
    explicit: bool
    own: bool = False


def _is_pandas(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "pandas"


def _is_pandas_frame(value: Any) -> bool:
    return _is_pandas(value) and getattr(value, "ndim", 1) == 2


def _arrow_in(value: Any) -> _core.Arrow | None:
    """Take what speaks the Arrow PyCapsule interface."""
    if hasattr(value, "__arrow_c_stream__"):
        return _core.arrow_from_stream(value.__arrow_c_stream__())
    if hasattr(value, "__arrow_c_array__"):
        return _core.arrow_from_array(*value.__arrow_c_array__())
    return None


class Frame:
    """Columns by name: a dict, a pandas frame, an Arrow table, a structured array."""

    def __init__(self, data: Any) -> None:
        named = _named_columns(data)
        self._columns: dict[str, Any] = dict(named)
        labels = list(data.columns) if _is_pandas_frame(data) else []
        self._labels = {label for label in labels if _is_label(label)}
        counts = Counter(name for name, _ in named)
        self._ambiguous = {name for name, count in counts.items() if count > 1}

    def __contains__(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self._columns

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self._columns)

    def name_of(self, value: Any) -> str | None:
        """Return the name of the column that is meant: a text, or a label of a pandas frame.

        Raises
        ------
        ValueError
            For a number that is none of the frame's, if its labels are numbers.
        """
        if isinstance(value, str):
            return value
        if not self._labels or not _is_label(value):
            return None
        if value in self._labels:
            return str(value)
        if isinstance(value, tuple) or all(isinstance(one, tuple) for one in self._labels):
            return None
        raise ValueError(f"data has no column {value!r}")

    def are_labels(self, values: Sequence[Any]) -> bool:
        """Whether these are labels of columns rather than values of one."""
        rows = len(next(iter(self._columns.values()), ()))
        if len(values) > len(self._labels) or len(values) == rows:
            return False
        return all(_is_label(one) and one in self._labels for one in values) and (
            len(set(values)) == len(values)
        )

    def column(self, name: str) -> Any:
        """Return the column of that name.

        Raises
        ------
        ValueError
            That names the closest one if there is none; or if there are several.
        """
        if name in self._ambiguous:
            raise ValueError(f"data has more than one column {name!r}: rename or drop the others")
        if name in self._columns:
            return self._columns[name]
        near = difflib.get_close_matches(name, self._columns, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"data has no column {name!r}{hint}")


def _is_label(value: Any) -> bool:
    """Whether it may be the label of a column of pandas that is no text: a number, a tuple."""
    if isinstance(value, tuple):
        return all(isinstance(one, (str, int, np.integer)) for one in value)
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _named_columns(data: Any) -> list[tuple[str, Any]]:
    if isinstance(data, Mapping):
        return [(str(name), column) for name, column in data.items()]
    if _is_pandas_frame(data):
        names = [str(name) for name in data.columns]
        return [(name, data.iloc[:, i]) for i, name in enumerate(names)]
    if isinstance(data, np.ndarray) and data.dtype.names:
        return [(name, data[name]) for name in data.dtype.names]
    arrow = None if _is_pandas(data) else _arrow_in(data)
    if arrow is not None and arrow.is_table:
        return [(name, ArrowColumn(arrow, i)) for i, name in enumerate(arrow.names)]
    raise TypeError(
        f"data must be a frame or a dict of columns, not {type(data).__name__}: "
        "pandas, polars, pyarrow or anything with __arrow_c_stream__"
    )


def frame_of(data: Any) -> Frame | None:
    """Open what was given as ``data``."""
    return None if data is None else Frame(data)


def resolved(value: Any, frame: Frame | None, role: str) -> Any:
    """Return the column: itself, or that of its name in ``data``."""
    if frame is not None:
        named = frame.name_of(value)
        return value if named is None else frame.column(named)
    if isinstance(value, str):
        raise TypeError(f"{role}={value!r} is a column's name: give data=, the frame that has it")
    return value


def name_of(value: Any, frame: Frame | None = None) -> str | None:
    """Return the name of a column in ``data``, or the one that it brings along, if it does."""
    named = value if isinstance(value, str) else None if frame is None else frame.name_of(value)
    if isinstance(named, str):
        return named
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and name else None


# --- Numbers.


def numbers(value: Any, name: str, *, floats: bool = False) -> _core.Numbers:
    """Scores, labels or weights as the library takes them, in place if the memory allows.

    Parameters
    ----------
    value : column
        Numbers of any type, or booleans.
    name : str
        What messages call it.
    floats : bool
        Make floating-point numbers of whole ones.
    """
    column = ArrowColumn(arrow) if (arrow := _foreign(value)) is not None else value
    if isinstance(column, ArrowColumn):
        _refuse_table(column, name)
        out = column.data.numbers(column.index, name)
        return _core.numbers(out.to_numpy(), name) if floats and out.is_whole else out
    array = _pandas_numbers(value, name) if _is_pandas(value) else _plain_array(value, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one column, not an array of the shape {array.shape}")
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.dtype == object:
        array = _numbers_in_objects(array, name)
    kind = array.dtype.kind
    if array.size == 0 and kind not in "biuf":
        array, kind = np.zeros(0), "f"
    if kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    wanted: npt.DTypeLike = array.dtype.newbyteorder("=")
    if (kind == "f" and array.dtype.itemsize not in (4, 8)) or (kind in "biu" and floats):
        wanted = np.float32 if array.dtype.itemsize == 2 and kind == "f" else np.float64
    return _core.numbers(np.ascontiguousarray(array, dtype=wanted), name)


def _plain_array(value: Any, name: str) -> npt.NDArray[Any]:
    """Make an array of a list or of anything else that NumPy reads as a column."""
    if isinstance(value, np.ndarray):
        return value
    try:
        array: npt.NDArray[Any] = np.asanyarray(value)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"{name} must be one column, not a {type(value).__name__} of lists"
        ) from None
    if array.ndim == 0:
        raise TypeError(
            f"{name} must be a column, not {_kind_of(value)}: give an array, a Series or a list"
        )
    return array


def _kind_of(value: Any) -> str:
    return "None" if value is None else f"a value of the type {type(value).__name__}"


def _foreign(value: Any) -> _core.Arrow | None:
    if isinstance(value, (np.ndarray, ArrowColumn, list, tuple)) or _is_pandas(value):
        return None
    return _arrow_in(value)


def _refuse_table(column: ArrowColumn, name: str) -> None:
    if column.index < 0 and column.data.is_table:
        raise ValueError(f"{name} must be one column, not a table or a struct: take one of it")


def _pandas_numbers(value: Any, name: str) -> npt.NDArray[Any]:
    if value.ndim != 1:
        raise ValueError(f"{name} must be one column, not a frame")
    if isinstance(value.dtype, np.dtype):
        return np.asarray(value)
    if value.dtype.name == "category":
        return np.asarray(value)
    if value.dtype.name.startswith("decimal"):  # of Arrow
        return np.asarray(value.to_numpy(dtype=object))
    if value.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {value.dtype}")
    array: npt.NDArray[Any] = value.to_numpy(dtype=np.float64, na_value=np.nan)
    return array


def _numbers_in_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    out = np.empty(len(array))
    for row, value in enumerate(array):
        if is_missing(value):
            out[row] = np.nan
        elif isinstance(value, (str, bytes)) or not hasattr(type(value), "__float__"):
            raise TypeError(f"{name} must be numbers, but row {row} is {value!r}")
        else:
            try:
                out[row] = float(value)
            except OverflowError:
                raise ValueError(f"{name} has a number that is too large, in row {row}") from None
    return out


# --- Attributes and ids.

Made = TypeVar("Made", _core.Attribute, _core.Texts)


@dataclass(frozen=True)
class _Maker(Generic[Made]):
    """How the values of a column become codes of few texts, or a text for each row."""

    from_objects: Callable[[Any, str, Callable[[Any], str | None]], Made]
    from_points: Callable[[Any, str], Made]
    from_integers: Callable[[Any, str], Made]
    from_codes: Callable[[Any, Sequence[str], str], Made]
    from_arrow: Callable[[_core.Arrow, int, str], Made]


_ATTRIBUTE = _Maker(
    _core.attribute_from_objects,
    _core.attribute_from_points,
    _core.attribute_from_integers,
    _core.attribute_from_codes,
    _core.Arrow.attribute,
)
_TEXTS = _Maker(
    _core.texts_from_objects,
    _core.texts_from_points,
    _core.texts_from_integers,
    _core.texts_from_codes,
    _core.Arrow.texts,
)


def attribute(value: Any, name: str) -> _core.Attribute:
    """Return the values of one attribute, as codes and texts."""
    return _made(value, name, _ATTRIBUTE)


def texts(value: Any, name: str) -> _core.Texts:
    """Return a text for each row: ids."""
    return _made(value, name, _TEXTS)


def _made(value: Any, name: str, maker: _Maker[Made]) -> Made:
    column = ArrowColumn(arrow) if (arrow := _foreign(value)) is not None else value
    if isinstance(column, ArrowColumn):
        _refuse_table(column, name)
        if column.data.is_float(column.index):
            return _from_array(column.data.numbers(column.index, name).to_numpy(), name, maker)
        return maker.from_arrow(column.data, column.index, name)
    if _is_pandas(value):
        return _from_pandas(value, name, maker)
    return _from_array(_array_of(value, name), name, maker)


def _array_of(value: Any, name: str) -> npt.NDArray[Any]:
    """Make an array of a list whose objects stay what they are.

    NumPy would make texts of numbers beside texts, cut texts of subclasses and drop zeros at the
    end of texts.
    """
    if isinstance(value, np.ndarray):
        return value
    listed = isinstance(value, (list, tuple))
    if listed and value and isinstance(value[0], (str, bytes)):
        return _objects_in(value)
    array = _plain_array(value, name)
    kind = array.dtype.kind
    rounded = kind == "f" and all(isinstance(one, int) for one in value)  # too large for int64
    truths = kind in "iuf" and listed and any(isinstance(one, (bool, np.bool_)) for one in value)
    return _objects_in(value) if rounded or truths or (listed and kind in "US") else array


def _objects_in(values: Sequence[Any]) -> npt.NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def _namer(name: str) -> Callable[[Any], str | None]:
    """Return what makes texts of the values of that column."""

    def text(value: Any) -> str | None:
        try:
            return text_of(value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"{name}: {value!r} is not UTF-8 text: {error.reason}") from None

    return text


def _from_array(array: npt.NDArray[Any], name: str, maker: _Maker[Made]) -> Made:
    if array.ndim != 1:
        raise ValueError(f"{name} must be one column, not an array of the shape {array.shape}")
    if isinstance(array, np.ma.MaskedArray):
        values = np.array(array.data, dtype=object)
        values[np.ma.getmaskarray(array)] = None
        array = values
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    kind = array.dtype.kind
    if kind == "O":
        return maker.from_objects(array, name, _namer(name))
    if kind in "biu":
        return maker.from_integers(array, name)
    if kind == "S":
        array = np.char.decode(array, "utf-8")
        kind = "U"
    if kind == "U":
        width = array.dtype.itemsize // 4
        if width == 0 or len(array) == 0:
            empty = np.zeros(len(array), dtype=np.int64)
            return maker.from_codes(empty, [""] if len(array) else [], name)
        return maker.from_points(array.view(np.uint32).reshape(-1, width), name)
    if kind in "fM":
        codes, values_of_codes = coded(array)
        return maker.from_codes(codes, values_of_codes, name)
    if kind == "T":  # NumPy's texts of any length
        return maker.from_objects(array.astype(object), name, _namer(name))
    raise TypeError(f"{name}: a column of the type {array.dtype} cannot name groups")


def _from_pandas(value: Any, name: str, maker: _Maker[Made]) -> Made:
    if value.ndim != 1:
        raise ValueError(f"{name} must be one column, not a frame")
    if isinstance(value.dtype, np.dtype):
        return _from_array(np.asarray(value), name, maker)
    if value.dtype.name == "category":
        categorical = getattr(value, "cat", value)
        codes, values = np.asarray(categorical.codes), categorical.categories
    elif maker is _TEXTS:
        return maker.from_objects(value.to_numpy(dtype=object), name, _namer(name))
    else:
        codes, values = value.factorize()
    text = _namer(name)
    found = [text(one) for one in values]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        raise ValueError(f"{name} has a category that is missing")
    return maker.from_codes(np.ascontiguousarray(codes), known, name)


def columns(value: Any, frame: Frame | None, role: str) -> list[NamedColumn]:
    """Return the columns in what was given for a role such as "sensitive"."""
    if value is None:
        return []
    named = value if frame is None else frame.name_of(value)
    if isinstance(named, str):
        return [NamedColumn(named, resolved(named, frame, role), True)]
    if isinstance(value, Mapping) or _is_pandas_frame(value):
        return [NamedColumn(name, column, True) for name, column in _named_columns(value)]
    if isinstance(value, (list, tuple)):
        return _columns_in_list(value, frame, role)
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return _numbered([value[:, i] for i in range(value.shape[1])], role)
    arrow = _foreign(value)
    if arrow is not None:
        if arrow.is_table:
            return [
                NamedColumn(name, ArrowColumn(arrow, i), True) for i, name in enumerate(arrow.names)
            ]
        return [_unnamed(value, role, ArrowColumn(arrow))]
    return [_unnamed(value, role, value)]


def _unnamed(value: Any, otherwise: str, column: Any) -> NamedColumn:
    name = name_of(value)
    return NamedColumn(name or otherwise, column, False, own=name is not None)


def _columns_in_list(value: Sequence[Any], frame: Frame | None, role: str) -> list[NamedColumn]:
    if value and frame is not None and all(isinstance(one, str) for one in value):
        return [NamedColumn(name, resolved(name, frame, role), True) for name in value]
    if value and frame is not None and frame.are_labels(value):
        return [NamedColumn(str(one), resolved(one, frame, role), True) for one in value]
    if value and not isinstance(value[0], (str, bytes)) and hasattr(value[0], "__len__"):
        return _numbered(list(value), role)
    return [NamedColumn(role, value, False)]


def _numbered(values: list[Any], role: str) -> list[NamedColumn]:
    names = [role] if len(values) == 1 else [f"{role}_{i + 1}" for i in range(len(values))]
    return [_unnamed(column, name, column) for name, column in zip(names, values, strict=True)]


def null_policy(null: str) -> str:
    """Return what becomes of missing values, if it makes sense."""
    if not isinstance(null, str):
        raise TypeError(f"null must be a text, not {type(null).__name__}")
    if not null:
        raise ValueError("null is 'error', 'exclude', or a name for missing groups")
    return null


def attributes(named: list[NamedColumn], null: str = "error") -> list[_core.Attribute]:
    """Return them as the library takes them; the same name twice is an error.

    Missing values are named, or (``null="error"``, ``"exclude"``) left for others to deal with.
    """
    seen: set[str] = set()
    for column in named:
        if column.name in seen:
            raise ValueError(f"the column {column.name!r} is given twice (sensitive, within)")
        seen.add(column.name)
    out = []
    for column in named:
        made = attribute(column.values, column.name)
        if null not in ("error", "exclude"):
            made.name_missing(null)
        out.append(made)
    return out


class MissingError(ValueError):
    """Values are missing: how many in which columns (``found``), and what to do about it."""

    def __init__(self, found: str, hint: str) -> None:
        super().__init__(found, hint)
        self.found = found

    def __str__(self) -> str:
        """Say both."""
        return "; ".join(self.args)


def refuse_missing(columns: Sequence[_core.Numbers | _core.Attribute], hint: str) -> None:
    """Refuse missing values: the error counts them in every column.

    Raises
    ------
    MissingError
        That says what to do about it: ``hint``.
    """
    found = []
    for column in columns:
        try:
            column.refuse_missing()
        except ValueError as error:
            found.append(str(error))
    if found:
        raise MissingError("; ".join(found), hint)


def _is_default(name: str) -> bool:
    """Whether columns without a name are called so."""
    role, _, number = name.partition("_")
    return role in ("sensitive", "within", "soft") and (not number or number.isdigit())


def in_order(named: list[NamedColumn], wanted: Sequence[str], whose: str) -> list[NamedColumn]:
    """Return the columns in the order of the attributes ``wanted``, under these names.

    Columns of a frame or dict are found by name. Others are taken in their order; a Series with
    another name than the attribute's is an error.
    """
    names = [column.name for column in named]
    if any(column.explicit for column in named) or set(names) == set(wanted):
        missing = [name for name in wanted if name not in names]
        if missing:
            raise ValueError(
                f"{whose} needs the attribute {missing[0]!r}, which is not among those given: "
                + ", ".join(map(repr, names))
            )
        return [named[names.index(name)] for name in wanted]
    if len(named) != len(wanted):
        raise ValueError(
            f"{whose} needs {len(wanted)} attributes ({', '.join(map(repr, wanted))}), "
            f"but {len(named)} are given"
        )
    for column, place in zip(named, wanted, strict=True):
        renamed = column.own and not _is_default(column.name) and not _is_default(place)
        if column.name != place and (column.name in wanted or renamed):
            raise ValueError(f"the column {column.name!r} is given where {whose} expects {place!r}")
    return [
        NamedColumn(place, column.values, True) for place, column in zip(wanted, named, strict=True)
    ]


NAMES_HINT = "; if its texts are names of columns, give data=, the frame that has them"


def same_length(columns: Sequence[tuple[str, Any]], named: Sequence[NamedColumn] = ()) -> None:
    """Refuse columns of different lengths; ``named`` are those that may be lists of names."""
    texts = {
        one.name
        for one in named
        if isinstance(one.values, (list, tuple)) and all(isinstance(v, str) for v in one.values)
    }
    first, *others = columns
    for name, column in others:
        if len(column) != len(first[1]):
            raise ValueError(
                f"columns differ in length: {first[0]} has {len(first[1])} rows, "
                f"{name} has {len(column)}" + (NAMES_HINT if name in texts else "")
            )
