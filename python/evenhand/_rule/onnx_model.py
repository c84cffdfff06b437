"""Rules as ONNX models: a table look-up, and the arithmetic of ramps in doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core, _options

if TYPE_CHECKING:
    from .rule import Rule

OPSET = 18
ML_OPSET = 3  # the first with LabelEncoder's present form is 2
IR_VERSION = 9


def onnx_package() -> Any:
    """Import onnx.

    Raises
    ------
    ImportError
        That says what to install.
    """
    try:
        import onnx
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "onnx":
            raise
        raise ImportError("to_onnx needs onnx: pip install 'evenhand[onnx]'") from error
    return onnx


class Graph:
    """Nodes of a model while they are added; values are known by the names of their tensors."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, value: npt.ArrayLike, dtype: Any) -> str:
        """Return a constant; equal ones are shared."""
        array = np.asarray(value, dtype=dtype)
        name = f"c{len(self.constants)}"
        for known, tensor in self.constants.items():
            if tensor.raw_data == array.tobytes() and tuple(tensor.dims) == array.shape:
                same = self.onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type) == array.dtype
                if same:
                    return known
        self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return name

    def double(self, value: npt.ArrayLike) -> str:
        """Return a constant of doubles."""
        return self.constant(value, np.float64)

    def whole(self, value: npt.ArrayLike) -> str:
        """Return a constant of whole numbers."""
        return self.constant(value, np.int64)

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name


def model_of(rule: Rule, score: str, unseen: str) -> Any:
    """Return the model of a rule.

    Raises
    ------
    ValueError
        For an attribute that is called like the scores.
    """
    onnx = onnx_package()
    unseen = _options.text(unseen, "unseen")
    if score in rule.attributes or "probability" in [score, *rule.attributes]:
        raise ValueError("the scores, the attributes and probability need different names")
    table = _core.rule_segments(rule._core, unseen)
    graph = Graph(onnx)
    inputs = {name: f"in{i}" for i, name in enumerate(rule.attributes)}
    cell = _cell(graph, rule, [inputs[name] for name in rule.attributes], "scores")
    x = "scores" if rule.favorable == "high" else graph.add("Neg", "scores")
    x = graph.add("Add", x, graph.double(0.0))  # never -0
    q = _probability(graph, table, cell, x, _cut(graph, table, x))
    low, high = table["lowest"], table["highest"]
    valid = graph.add(
        "And",
        graph.add("GreaterOrEqual", x, graph.double(low)),
        graph.add("LessOrEqual", x, graph.double(high)),
    )
    out = graph.add("Where", valid, q, graph.double(float("nan")))
    return _wrapped(onnx, graph, rule.attributes, score, out)


def _cell(graph: Graph, rule: Rule, inputs: list[str], like: str) -> str:
    """Return each row's position in the table; the last one is for cells never seen."""
    cells = rule._core.cells
    code = graph.add("Mul", graph.add("Cast", like, to=7), graph.whole(0))
    if not inputs:
        return code if cells else graph.add("Add", code, graph.whole(0))
    sizes = []
    for i, name in enumerate(inputs):
        values = sorted({cell[i] for cell in cells})
        sizes.append(len(values) + 1)
        if not values:
            continue
        position = graph.add(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_strings=[value.encode() for value in values],
            values_int64s=list(range(len(values))),
            default_int64=len(values),
        )
        code = graph.add("Add", graph.add("Mul", code, graph.whole(sizes[-1])), position)
    if not cells:
        return graph.add("Mul", code, graph.whole(0))
    known = {tuple(cell): i for i, cell in enumerate(cells)}
    distinct = [sorted({cell[i] for cell in cells}) for i in range(len(inputs))]
    grid = np.full(sizes, len(cells), dtype=np.int64)
    for values_of_cell, position_of_cell in known.items():
        at = tuple(distinct[i].index(value) for i, value in enumerate(values_of_cell))
        grid[at] = position_of_cell
    return graph.add("Gather", graph.whole(grid.ravel()), code)


def _cut(graph: Graph, table: dict[str, Any], x: str) -> str:
    """Return the midpoint of each score's interval, as the library cuts it."""
    level = table["level"]
    if level is None:
        return x
    scaled = graph.add("Mul", x, graph.double(2.0**level))
    k = graph.add("Floor", scaled)
    lost = graph.add(
        "And",
        graph.add("Less", x, graph.double(0.0)),
        graph.add("Equal", k, graph.double(0.0)),
    )
    k = graph.add("Where", lost, graph.double(-1.0), k)
    small = graph.add("Less", graph.add("Abs", k), graph.double(2.0**52))
    middle = graph.add("Where", small, graph.add("Add", k, graph.double(0.5)), k)
    value = graph.add("Mul", middle, graph.double(2.0**-level))
    value = graph.add("Max", value, graph.double(table["lowest"]))
    value = graph.add("Min", value, graph.double(table["highest"]))
    huge = graph.add("IsInf", scaled)
    return graph.add("Where", huge, x, value)


def _probability(graph: Graph, table: dict[str, Any], cell: str, x: str, cut: str) -> str:
    """Find each row's segment by bisection, and read it."""
    segments = table["segments"]  # of each cell; the last is for those never seen
    most = max(len(one) for one in segments)
    width = 1 << (most - 1).bit_length() if most > 1 else 1
    columns: dict[str, npt.NDArray[np.float64]] = {
        name: np.zeros((len(segments), width)) for name in table["names"]
    }
    columns["from"][:] = np.inf
    columns["width"][:] = 1
    for i, one in enumerate(segments):
        for j, segment in enumerate(one):
            for name, value in zip(table["names"], segment, strict=True):
                columns[name][i, j] = value
    flat = {name: graph.double(array.ravel()) for name, array in columns.items()}
    at = graph.add("Mul", cell, graph.whole(width))
    step = width // 2
    while step:
        further = graph.add("Add", at, graph.whole(step))
        reached = graph.add("GreaterOrEqual", x, graph.add("Gather", flat["from"], further))
        at = graph.add("Where", reached, further, at)
        step //= 2
    p = graph.add("Gather", flat["p"], at)
    if not columns["rise"].any():
        return p
    rise, a, over, top, scale = (
        graph.add("Gather", flat[name], at) for name in ("rise", "a", "width", "most", "scale")
    )
    away = graph.add("Sub", graph.add("Mul", cut, scale), a)
    share = graph.add("Div", away, over)
    line = graph.add("Min", graph.add("Add", p, graph.add("Mul", rise, share)), top)
    return graph.add("Where", graph.add("Equal", rise, graph.double(0.0)), p, line)


def _wrapped(onnx: Any, graph: Graph, attributes: list[str], score: str, out: str) -> Any:
    """Make the model, with the caller's names for what goes in and out."""
    helper, kinds = onnx.helper, onnx.TensorProto
    inner = {f"in{i}": name for i, name in enumerate(attributes)}
    inner |= {"scores": score, out: "probability"}
    for node in graph.nodes:
        for field in (node.input, node.output):
            for i, name in enumerate(field):
                # What users call theirs must not be one of ours.
                field[i] = inner.get(name, "evenhand/" + name)
    constants = list(graph.constants.values())
    for tensor in constants:
        tensor.name = "evenhand/" + tensor.name
    given = [helper.make_tensor_value_info(name, kinds.STRING, ["n"]) for name in attributes]
    given.append(helper.make_tensor_value_info(score, kinds.DOUBLE, ["n"]))
    result = helper.make_tensor_value_info("probability", kinds.DOUBLE, ["n"])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "evenhand", given, [result], constants),
        opset_imports=[
            helper.make_opsetid("", OPSET),
            helper.make_opsetid("ai.onnx.ml", ML_OPSET),
        ],
        producer_name="evenhand",
        producer_version=_core.version,
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model)
    return model
