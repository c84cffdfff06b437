"""Attributes and ids: columns of any values, as texts or codes of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from .frames import ArrowColumn, NamedColumn, arrow_in, foreign, is_pandas, refuse_table
from .numeric import plain_array
from .texts import coded, text_of

Made = TypeVar("Made", _core.Attribute, _core.Texts)


@dataclass(frozen=True)
class _Maker(Generic[Made]):
    """How the values of a column become codes of few texts, or a text for each row."""

    from_objects: Callable[[Any, str, Callable[[Any], str | None]], Made]
    from_points: Callable[[Any, str], Made]
    from_integers: Callable[[Any, str], Made]
    from_codes: Callable[[Any, Sequence[str], str], Made]
    from_arrow: Callable[[_core.Arrow, int, str], Made]
    takes_floats: bool


_ATTRIBUTE = _Maker(
    _core.attribute_from_objects,
    _core.attribute_from_points,
    _core.attribute_from_integers,
    _core.attribute_from_codes,
    _core.Arrow.attribute,
    takes_floats=True,
)
_TEXTS = _Maker(
    _core.texts_from_objects,
    _core.texts_from_points,
    _core.texts_from_integers,
    _core.texts_from_codes,
    _core.Arrow.texts,
    takes_floats=False,
)


def attribute(value: Any, name: str) -> _core.Attribute:
    """Return the values of one attribute, as codes and texts."""
    return _made(value, name, _ATTRIBUTE)


def ids(value: Any, name: str) -> _core.Texts:
    """Return a text for each row: ids.

    Raises
    ------
    TypeError
        For floating-point numbers: pandas makes 7.0 of 7 where a value is missing, and the texts of
        these draw different coins.
    """
    return _made(value, name, _TEXTS)


def plain(value: Any, name: str) -> Any:
    """Return an Arrow column as an array of texts or floats, and any other as it is."""
    if not isinstance(value, ArrowColumn):
        return value
    refuse_table(value, name)
    if value.data.is_float(value.index):
        return value.data.numbers(value.index, name).to_numpy()
    return _objects_in(value.data.attribute(value.index, name).to_list())


def _made(value: Any, name: str, maker: _Maker[Made]) -> Made:
    column = ArrowColumn(arrow) if (arrow := foreign(value)) is not None else value
    if isinstance(column, ArrowColumn):
        refuse_table(column, name)
        if column.data.is_float(column.index):
            return _from_array(column.data.numbers(column.index, name).to_numpy(), name, maker)
        return maker.from_arrow(column.data, column.index, name)
    if is_pandas(value):
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
    array = plain_array(value, name)
    kind = array.dtype.kind
    rounded = kind == "f" and all(isinstance(one, int) for one in value)  # too large for int64
    truths = kind in "iuf" and listed and any(isinstance(one, (bool, np.bool_)) for one in value)
    return _objects_in(value) if rounded or truths or (listed and kind in "US") else array


def _objects_in(values: Sequence[Any]) -> npt.NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def _refuse_floats(name: str, what: object) -> None:
    raise TypeError(
        f"{name} must be whole numbers or texts, not {what}: 7 and 7.0 would be two people. Where "
        "missing values made floats of whole numbers, astype('Int64') makes them whole again"
    )


def _namer(name: str, takes_floats: bool) -> Callable[[Any], str | None]:
    """Return what makes texts of the values of that column."""

    def text(value: Any) -> str | None:
        if not takes_floats and isinstance(value, (float, np.floating)) and value == value:
            _refuse_floats(name, repr(float(value)))
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
        return maker.from_objects(array, name, _namer(name, maker.takes_floats))
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
    if kind == "f" and not maker.takes_floats and len(array):
        _refuse_floats(name, array.dtype)
    if kind in "fM":
        codes, values_of_codes = coded(array)
        return maker.from_codes(codes, values_of_codes, name)
    if kind == "T":  # NumPy's texts of any length
        return maker.from_objects(array.astype(object), name, _namer(name, maker.takes_floats))
    raise TypeError(f"{name}: a column of the type {array.dtype} cannot name groups")


def _pandas_texts(value: Any) -> ArrowColumn | npt.NDArray[Any] | None:
    """Return pandas' own column of texts as what it is made of; None for any other column."""
    dtype = value.dtype
    storage = dtype.storage if type(dtype).__name__ == "StringDtype" else None
    if storage == "python":
        return np.asarray(value.to_numpy(dtype=object))
    in_arrow = storage == "pyarrow" or dtype.name in (
        "string[pyarrow]", "large_string[pyarrow]", "string_view[pyarrow]",
    )  # fmt: skip
    arrow = arrow_in(getattr(value, "array", value).__arrow_array__()) if in_arrow else None
    return None if arrow is None else ArrowColumn(arrow)


def _from_pandas(value: Any, name: str, maker: _Maker[Made]) -> Made:
    if value.ndim != 1:
        raise ValueError(f"{name} must be one column, not a frame")
    if isinstance(value.dtype, np.dtype):
        return _from_array(np.asarray(value), name, maker)
    texts = _pandas_texts(value)
    if isinstance(texts, ArrowColumn):
        return maker.from_arrow(texts.data, texts.index, name)
    if texts is not None:
        return maker.from_objects(texts, name, _namer(name, maker.takes_floats))
    if value.dtype.name == "category":
        categorical = getattr(value, "cat", value)
        codes, values = np.asarray(categorical.codes), categorical.categories
    elif maker is _TEXTS:
        return maker.from_objects(
            value.to_numpy(dtype=object), name, _namer(name, maker.takes_floats)
        )
    else:
        codes, values = value.factorize()
    text = _namer(name, maker.takes_floats)
    found = [text(one) for one in values]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        raise ValueError(f"{name} has a category that is missing")
    return maker.from_codes(np.ascontiguousarray(codes), known, name)


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
