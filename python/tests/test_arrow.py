"""Arrow data by hand: what is taken is released once, and what is damaged is refused."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evenhand import Tally, _core


class Schema(ctypes.Structure):
    """ArrowSchema."""


class Array(ctypes.Structure):
    """ArrowArray."""


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))


def fields(*named: tuple[str, Any]) -> list[tuple[str, Any]]:
    """Name the members of a structure, those of one type that follow each other at once."""
    return [(name, kind) for names, kind in named for name in names.split()]


Schema._fields_ = fields(
    ("format name metadata", ctypes.c_char_p),
    ("flags n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
)
Array._fields_ = fields(
    ("length null_count offset n_buffers n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
)

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """An Arrow array made by hand, that counts how often it is released."""

    def __init__(self, format: bytes, buffers: list[Any], **fields: int) -> None:
        self.released = [0, 0]
        self.kept = buffers
        pointers = [None if b is None else ctypes.cast(b, ctypes.c_void_p).value for b in buffers]
        self.pointers = (ctypes.c_void_p * len(buffers))(*pointers)
        self.on_schema = RELEASE_SCHEMA(self.count(0, RELEASE_SCHEMA))
        self.on_array = RELEASE_ARRAY(self.count(1, RELEASE_ARRAY))
        self.schema = Schema(format=format, release=self.on_schema)
        self.array = Array(n_buffers=len(buffers), buffers=self.pointers, release=self.on_array)
        for name, value in fields.items():
            setattr(self.array, name, value)

    def count(self, which: int, kind: Any) -> Callable[[Any], None]:
        def release(pointer: Any) -> None:
            self.released[which] += 1
            pointer.contents.release = kind()

        return release

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


def doubles(*values: float) -> Any:
    return (ctypes.c_double * len(values))(*values)


def test_numbers_are_released_once_and_not_before_they_are_read() -> None:
    producer = Producer(b"g", [None, doubles(0.25, 0.75)], length=2)
    column = _core.arrow_from_array(*producer.__arrow_c_array__()).numbers(-1, "score")
    assert producer.released == [0, 0]
    assert column.to_numpy().tolist() == [0.25, 0.75]
    del column
    assert producer.released == [1, 1]


def test_texts_are_released_once() -> None:
    offsets = (ctypes.c_int32 * 4)(0, 1, 1, 3)
    data = ctypes.create_string_buffer(b"abb", 3)
    producer = Producer(b"u", [None, offsets, data], length=3)
    found = Tally([0.1, 0.2, 0.3], {"g": producer})
    assert [cell["g"] for cell in found.cells] == ["", "a", "bb"]
    assert producer.released == [1, 1]


def test_data_cannot_be_used_twice() -> None:
    producer = Producer(b"g", [None, doubles(0.25, 0.75)], length=2)
    Tally(producer, ["a", "b"])
    with pytest.raises(ValueError, match="used before"):
        Tally(producer, ["a", "b"])
    assert producer.released == [1, 1]


@pytest.mark.parametrize(
    ("format", "buffers", "fields"),
    [
        (b"g", [None, None], {"length": 2}),
        (b"g", [None], {"length": 2}),
        (b"g", [None, doubles(0.5)], {"length": -1}),
        (b"g", [None, doubles(0.5)], {"length": 1, "offset": -1}),
        (b"g", [None, doubles(0.5)], {"length": 2**62, "offset": 2**63 - 1}),
        (b"d:5,2", [None, None], {"length": 2}),
    ],
    ids=["no buffer", "too few", "negative length", "negative offset", "overflow", "decimals"],
)
def test_damaged_numbers(format: bytes, buffers: list[Any], fields: dict[str, int]) -> None:
    producer = Producer(format, buffers, **fields)
    with pytest.raises(ValueError, match="damaged"):
        Tally(producer, ["a", "b"])
    assert producer.released == [1, 1]


def test_a_table_without_its_columns() -> None:
    producer = Producer(b"+s", [None], length=2)
    producer.schema.n_children = 3
    with pytest.raises(ValueError, match="the types of columns are missing"):
        Tally("p", data=producer)
    assert producer.released == [1, 1]


def test_a_type_without_a_name() -> None:
    producer = Producer(None, [None, doubles(0.5)], length=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a type is missing"):
        Tally(producer)
    assert producer.released == [1, 1]


@pytest.mark.parametrize("offsets", [(0, 3, 1), (-1, 1, 3), (2, 1, 3)])
def test_damaged_offsets_of_texts(offsets: tuple[int, ...]) -> None:
    data = ctypes.create_string_buffer(b"abb", 3)
    producer = Producer(b"u", [None, (ctypes.c_int32 * 3)(*offsets), data], length=2)
    with pytest.raises(ValueError, match="an offset of a text is wrong"):
        Tally([0.1, 0.2], {"g": producer})
    assert producer.released == [1, 1]


def test_texts_that_are_not_utf8() -> None:
    offsets = (ctypes.c_int32 * 3)(0, 1, 3)
    data = ctypes.create_string_buffer(b"a\xff\xfe", 3)
    producer = Producer(b"u", [None, offsets, data], length=2)
    with pytest.raises(ValueError, match="not valid UTF-8"):
        Tally([0.1, 0.2], {"g": producer})


def test_an_index_outside_its_dictionary() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 5]), pa.array(["a"]), safe=False)
    with pytest.raises(ValueError, match="outside its dictionary"):
        Tally([0.1, 0.2], {"g": array})


def test_a_missing_value_of_a_dictionary() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(ValueError, match="g has a missing value, in row 1"):
        Tally([0.1, 0.2], {"g": array})


def test_rows_of_a_struct_that_are_missing() -> None:
    struct = pa.StructArray.from_arrays(
        [pa.array([0.1, 0.2, 0.3]), pa.array(["a", "b", "c"])],
        ["p", "g"],
        mask=pa.array([False, False, True]),
    )
    with pytest.raises(ValueError, match="g has a missing value, in row 2"):
        Tally([0.1, 0.2, 0.3], "g", data=struct)


def test_a_struct_that_was_cut_out_of_another() -> None:
    struct = pa.StructArray.from_arrays(
        [pa.array([0.1, 0.2, 0.3, 0.4]), pa.array(["a", "b", "c", "d"])], ["p", "g"]
    )
    assert Tally("p", "g", data=struct[1:3]) == Tally([0.2, 0.3], {"g": ["b", "c"]})


def test_a_stream_that_fails() -> None:
    def batches() -> Any:
        yield pa.record_batch({"p": [0.5]})
        raise RuntimeError("no more of that")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"p": pa.float64()}), batches())
    with pytest.raises(RuntimeError, match="no more of that"):
        Tally("p", data=reader)


def test_a_stream_without_rows() -> None:
    reader = pa.RecordBatchReader.from_batches(pa.schema({"p": pa.float64()}), [])
    with pytest.raises(ValueError, match="there are no rows"):
        Tally("p", data=reader)


def test_long_texts_lie_in_buffers_of_their_own() -> None:
    long = ["a text of more than twelve bytes " + str(i) for i in range(100)] + [None]
    array = pa.array(long, pa.string_view())
    with pytest.raises(ValueError, match="in row 100"):
        Tally(np.linspace(0, 1, 101), {"g": array})
    found = Tally(np.linspace(0, 1, 100), {"g": array[:100]})
    assert {cell["g"] for cell in found.cells} == set(long[:100])
