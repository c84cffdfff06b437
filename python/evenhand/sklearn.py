"""FairThresholdClassifier: even-handed decisions as a scikit-learn classifier."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    indexable,
    validate_data,
)

from . import _core, _inputs
from . import _sklearn_rows as rows
from ._audit import Audit, audit, audit_tally
from ._calibrate import Calibrator
from ._fit import fit as fit_rule
from ._found import Fit
from ._rule import Rule
from ._sklearn_ids import row_ids
from ._sklearn_scores import Floats, held_out_scores, response_of, score_of
from ._tally import Tally

__all__ = ["FairThresholdClassifier", "row_ids"]

_ROLES = ("sensitive_features", "control_features")

_ERROR_RATES = re.compile(r"\b(tpr|fpr)\b")
"""In a requirement: rates of those with one outcome."""


class FairThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Turn any classifier's scores into the most accurate decisions that treat groups alike.

    Fits the classifier, takes its scores of rows that it was not fitted on, and finds the rule
    that :func:`evenhand.fit` finds for them.

    Parameters
    ----------
    estimator : estimator
        A binary classifier with ``predict_proba`` or ``decision_function``.
    criterion, tolerance, ratio, rho, require, across
        What is fair, as for :func:`evenhand.fit`; there is no default.
    gamma, cost_fp, cost_fn, base_threshold, resolution, threads
        As for :func:`evenhand.fit`.
    calibrate : {"auto", "none", "isotonic", "platt", "temperature"} or Calibrator
        Where the probability of a score comes from. "auto" believes ``predict_proba``, and learns
        it from the labels for ``decision_function`` ("platt"). Criteria with error rates, such as
        equalized odds, take outcomes from the labels themselves: "auto" is then "none".
    calibrate_by : {"cell", "all"}
        A curve for each cell, or one for all.
    solver, projection, learning_rate, epochs, steps, record_every
        As for :func:`evenhand.fit`.
    sensitive_features, control_features : str, int, list of these, or callable, optional
        Columns of X, by name or position, or a function of X that returns columns. ``predict(X)``
        then needs nothing else. Otherwise give the columns themselves to each method. Groups are
        compared inside each combination of control features.
    drop_attributes : bool
        Take the columns of X that are named here away from what ``estimator`` sees.
    response_method : {"auto", "predict_proba", "decision_function"}
        What the scores are; "auto" is ``predict_proba`` if there is one.
    cv : int, splitter, iterable, "prefit", None or False
        With folds, the rule is fitted on scores of rows that were held out, and the classifier
        is then fitted on all of them. "prefit", or a ``FrozenEstimator``: the classifier stays as
        it is; only the latter survives ``clone``. None or False: fit on all rows and trust the
        scores of these, which flatter it.
    pos_label : int, float, bool or str, optional
        The favourable class, the greater one by default; ``favorable`` of :func:`evenhand.fit`
        is not needed.
    unseen : {"error", "score", "reject"}
        For groups that fit has not seen: an error that names one, a decision by the score alone, or
        a negative one.
    null : str
        Missing groups: "error", or a name that makes a group of them, in fit and predict. There is
        no "exclude" here, as everybody has a decision.
    key : bytes or str, optional
        The secret itself, which makes the coins of people whose probability is neither 0 nor 1; it
        shows in ``repr`` and in pickles. By default the key is
        ``b"evenhand FairThresholdClassifier "`` and ``random_state`` as decimal text, which keeps
        decisions the same, but lets anybody foresee them.
    key_file : str or path, optional
        Instead of ``key``: the file whose bytes are the secret, as the tool takes it. ``predict``
        reads it, and the secret is neither in ``repr`` nor in pickles.
    n_jobs : int, optional
        Folds that are fitted at the same time.
    random_state : int, RandomState or None
        Seed of ``solver="sgd"`` and of the default key; None is 0.

    Attributes
    ----------
    rule_ : Rule
        What decides.
    fit_ : Fit
        How the rule was found, with its proof.
    estimator_ : estimator
        The fitted classifier.
    classes_ : numpy.ndarray
        The two classes.
    pos_label_
        The favourable one of them.
    response_method_ : str
        What the scores are.
    n_features_in_ : int
        Columns of X in fit.
    feature_names_in_ : numpy.ndarray
        Their names, if all are strings.

    Notes
    -----
    ``predict`` without ids takes :func:`evenhand.sklearn.row_ids` of X: the same row has the same
    answer in any batch and any container, and rows that are equal share a coin.

    ``predict_proba`` is the probability of the *decision*, 0 or 1 for nearly everybody: for
    curves over thresholds, use ``estimator_``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from evenhand import FairThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["F", "M"], 1000)
    >>> X = rng.normal(size=(1000, 2)) + (sex == "M")[:, None]
    >>> y = (X[:, 0] + rng.normal(size=1000) > 0.5).astype(int)
    >>> fair = FairThresholdClassifier(LogisticRegression(), criterion="statistical-parity")
    >>> fair = fair.fit(X, y, sensitive_features=sex)
    >>> fair.fit_.status
    'optimal'
    >>> fair.predict(X[:3], sensitive_features=sex[:3])
    array([1, 0, 1])
    >>> audit = fair.audit(X, y, sensitive_features=sex)
    >>> round(audit.before.largest_difference, 1), round(audit.largest_difference, 1)
    (0.4, 0.0)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        criterion: str | None = None,
        tolerance: float | None = None,
        ratio: float | None = None,
        rho: float | str | None = None,
        require: str | Sequence[str] = (),
        across: str = "intersection",
        gamma: float | str | None = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        base_threshold: float | None = None,
        resolution: str | int = "exact",
        calibrate: str | Calibrator = "auto",
        calibrate_by: str = "cell",
        solver: str = "exact",
        projection: str = "corrected",
        learning_rate: float | None = None,
        epochs: float | None = None,
        steps: int | None = None,
        record_every: int | None = None,
        sensitive_features: rows.Selector = None,
        control_features: rows.Selector = None,
        drop_attributes: bool = False,
        response_method: str = "auto",
        cv: Any = 5,
        pos_label: Any = None,
        unseen: str = "error",
        null: str = "error",
        key: bytes | str | None = None,
        key_file: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        threads: int = 0,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.tolerance = tolerance
        self.ratio = ratio
        self.rho = rho
        self.require = require
        self.across = across
        self.gamma = gamma
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.base_threshold = base_threshold
        self.resolution = resolution
        self.calibrate = calibrate
        self.calibrate_by = calibrate_by
        self.solver = solver
        self.projection = projection
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.steps = steps
        self.record_every = record_every
        self.sensitive_features = sensitive_features
        self.control_features = control_features
        self.drop_attributes = drop_attributes
        self.response_method = response_method
        self.cv = cv
        self.pos_label = pos_label
        self.unseen = unseen
        self.null = null
        self.key = key
        self.key_file = key_file
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.threads = threads

    # --- Fitting.

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
        sample_weight: Any = None,
        **fit_params: Any,
    ) -> FairThresholdClassifier:
        """Fit the classifier and the rule.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            The rows, as ``estimator`` takes them.
        y : array-like of shape (n_samples,)
            What really happened, two classes.
        sensitive_features, control_features : column or columns, optional
            Unless the constructor names columns of X.
        sample_weight : array-like of shape (n_samples,), optional
            How often a row counts, for the rule, and for ``estimator`` if it can.
        **fit_params
            For ``estimator.fit``; with metadata routing, what it and the splitter request.

        Returns
        -------
        self
        """
        self._check_choices()
        rows.refuse_flat(X)
        validate_data(self, X, skip_check_array=True)
        if getattr(self, "n_features_in_", 1) == 0:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={np.shape(X)}) while a minimum of 1 is "
                "required."
            )
        X, y = indexable(X, y)
        y, labels = self._labels(y)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if (weight < 0).any():
                raise ValueError(
                    "sample_weight must not be negative, but that of row "
                    f"{np.flatnonzero(weight < 0)[0]} is {weight[weight < 0][0]:g}"
                )
            if not self._frozen and len(np.unique(y[weight > 0])) < 2:
                raise ValueError("sample_weight leaves rows of one class only")
        length = len(labels)
        columns = [
            self._columns(X, length, role, value)
            for role, value in zip(_ROLES, (sensitive_features, control_features), strict=True)
        ]
        if self.criterion and not columns[0]:
            raise ValueError(
                f"sensitive_features is missing: {self.criterion} compares groups; give it to fit, "
                "or name columns of X in the constructor"
            )
        sensitive, within = map(rows.canonical, columns)
        metadata = {
            **dict(zip(_ROLES, (sensitive_features, control_features), strict=True)),
            "sample_weight": sample_weight,
        }
        estimator_params, split_params = self._routed(metadata, fit_params)
        features = self._features(X)
        random = self.random_state
        if not (random is None or isinstance(random, (int, np.integer))):
            random = check_random_state(random).randint(2**31)
        self._seed = int(random or 0)

        scores, tested = self._scores(features, y, estimator_params, split_params)
        if tested is not None:
            sensitive, within = rows.taken(sensitive, tested), rows.taken(within, tested)
            labels = labels[tested]
            weight = None if weight is None else weight[tested]
        self.fit_: Fit = fit_rule(
            scores,
            sensitive or None,
            criterion=self.criterion,
            within=within or None,
            label=labels,
            weight=weight,
            tolerance=self.tolerance,
            ratio=self.ratio,
            rho=self.rho,
            require=self.require,
            across=self.across,
            scale=self._scale(),
            resolution=self.resolution,
            gamma=self.gamma,
            cost_fp=self.cost_fp,
            cost_fn=self.cost_fn,
            base_threshold=self._base_threshold(),
            calibrate=self._calibration(),
            calibrate_by=self.calibrate_by,
            solver=self.solver,
            projection=self.projection,
            learning_rate=self.learning_rate,
            epochs=self.epochs,
            steps=self.steps,
            seed=self._seed if self.solver == "sgd" else None,
            record_every=self.record_every,
            null=self.null,
            threads=self.threads,
        )
        self._names = {
            role: [(column.name, column.explicit) for column in given]
            for role, given in zip(_ROLES, columns, strict=True)
        }
        self.rule_: Rule = self.fit_.rule
        return self

    def _check_choices(self) -> None:
        choices = {
            "response_method": ("auto", "predict_proba", "decision_function"),
            "unseen": ("error", "score", "reject"),
        }
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"there is no {name} {value!r}: use {', '.join(known)}")
        if isinstance(self.cv, str) and self.cv != "prefit":
            raise ValueError(f"there is no cv {self.cv!r}: use a number, a splitter or 'prefit'")
        if _inputs.null_policy(self.null) == "exclude":
            raise ValueError(
                "null='exclude' cannot be: everybody has a decision; give a name for missing "
                "groups, or take the rows away before fit"
            )
        _check_key(self.key, self.key_file)
        if self.drop_attributes and any(callable(getattr(self, role)) for role in _ROLES):
            raise ValueError("drop_attributes needs names or positions of columns, not a function")

    @property
    def _frozen(self) -> bool:
        prefit = isinstance(self.cv, str) and self.cv == "prefit"
        return prefit or isinstance(self.estimator, FrozenEstimator)

    def _labels(self, y: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
        """Settle the classes; return y, and which rows are of the favourable one."""
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        y = column_or_1d(y, warn=True)
        classes = np.unique(y)
        if self._frozen:
            message = (
                "This %(name)s instance is not fitted, and cv='prefit' does not fit it. Clones are "
                "not fitted, and cross-validation and searches make some: give "
                "FrozenEstimator(...) instead, which stays fitted."
            )
            check_is_fitted(self.estimator, msg=message)
            known = np.asarray(self.estimator.classes_)
            stray = [one for one in classes.tolist() if one not in known]
            if stray:
                raise ValueError(
                    f"y has the class {stray[0]!r}, which the fitted estimator does not know"
                )
            classes = known
        if len(classes) != 2:
            what = "one class" if len(classes) == 1 else f"{len(classes)}"
            raise ValueError(f"y must have two classes, not {what}: {classes.tolist()[:5]}")
        if self.pos_label is not None and self.pos_label not in classes:
            raise ValueError(
                f"pos_label={self.pos_label!r} is not a class of y: {classes.tolist()}"
            )
        self.classes_: npt.NDArray[Any] = classes
        self.pos_label_ = classes[1] if self.pos_label is None else self.pos_label
        return y, np.asarray(y == self.pos_label_).astype(np.uint8)

    def _routed(
        self, metadata: dict[str, Any], fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what goes to the estimator's fit, and to the splitter."""
        metadata = {name: value for name, value in metadata.items() if value is not None}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **metadata, **fit_params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        if self._frozen:
            if fit_params:
                raise ValueError(
                    f"the estimator is not fitted again, nothing takes {next(iter(fit_params))!r}"
                )
            return {}, {}
        if "sample_weight" in metadata:
            if has_fit_parameter(self.estimator, "sample_weight"):
                fit_params = {**fit_params, "sample_weight": metadata["sample_weight"]}
            elif not any(name.endswith("sample_weight") for name in fit_params):
                warnings.warn(
                    f"{type(self.estimator).__name__}.fit takes no sample_weight, only the rule "
                    "has it; for a step of a pipeline, give <step>__sample_weight too or enable "
                    "metadata routing",
                    UserWarning,
                    stacklevel=3,
                )
        return fit_params, {}

    def _scores(
        self, X: Any, y: Any, fit_params: dict[str, Any], split_params: dict[str, Any]
    ) -> tuple[Floats, npt.NDArray[np.intp] | None]:
        """Fit the classifier; return scores for the rule, and of which rows, None for all."""
        self.estimator_ = self.estimator
        if not self._frozen:
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.response_method_ = response_of(self.estimator_, self.response_method)
        if self._frozen or self.cv is None or self.cv is False:
            return self._score(X), None
        return held_out_scores(
            self.estimator,
            X,
            y,
            cv=self.cv,
            fit_params=fit_params,
            split_params=split_params,
            response=self.response_method_,
            pos_label=self.pos_label_,
            n_jobs=self.n_jobs,
        )

    def _score(self, X: Any) -> Floats:
        return score_of(self.estimator_, X, self.response_method_, self.pos_label_)

    def _scale(self) -> str:
        return "raw" if self.response_method_ == "decision_function" else "probability"

    def _base_threshold(self) -> float | None:
        """Return where the classifier's own decisions begin: at 0 for ``decision_function``."""
        if self.base_threshold is None and self.response_method_ == "decision_function":
            return 0.0
        return self.base_threshold

    def _calibration(self) -> str | Calibrator:
        if not (isinstance(self.calibrate, str) and self.calibrate == "auto"):
            return self.calibrate
        if self.response_method_ != "decision_function" or self._has_error_rates():
            return "none"
        return "platt"

    def _has_error_rates(self) -> bool:
        """Whether rates of those with one outcome are bounded, which labels alone can tell."""
        require = [self.require] if isinstance(self.require, str) else self.require
        if any(_ERROR_RATES.search(str(one)) for one in require):
            return True
        if not self.criterion:
            return False
        rates = _core.criterion(
            self.criterion, ["any"], [], "intersection", None, None, None, []
        ).rates
        return any(rate != "selection_rate" for rate in rates)

    # --- Columns.

    def _columns(self, X: Any, length: int, role: str, value: Any) -> list[rows.Given]:
        """Return the columns of a role: what was given, or those that the constructor names."""
        named = getattr(self, role)
        if value is not None:
            if named is not None:
                raise ValueError(
                    f"{role} is given twice: the constructor names columns of X, {named!r}"
                )
            rows.refuse_reordered(X, value, role)
            return rows.given(value, role, length)
        if named is None:
            return []
        return rows.from_features(X, named, getattr(self, "feature_names_in_", None), role)

    def _features(self, X: Any) -> Any:
        """Return what the estimator sees of X."""
        if not self.drop_attributes:
            return X
        names = getattr(self, "feature_names_in_", None)
        dropped = [
            index
            for role in _ROLES
            if getattr(self, role) is not None
            for index in rows.positions(X, getattr(self, role), names, role)
        ]
        return rows.without(X, dropped)

    def _prepared(
        self, X: Any, sensitive_features: Any, control_features: Any
    ) -> tuple[Any, Floats, rows.Attributes, rows.Attributes]:
        """Return X, its scores and its attributes under the names of fit."""
        check_is_fitted(self)
        rows.refuse_flat(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        (X,) = indexable(X)
        scores = self._score(self._features(X))
        found = []
        for role, value in zip(_ROLES, (sensitive_features, control_features), strict=True):
            wanted = self._names[role]
            columns = self._columns(X, len(scores), role, value)
            if wanted and not columns:
                names = ", ".join(repr(name) for name, _ in wanted)
                hint = (
                    ""
                    if get_config()["enable_metadata_routing"]
                    else "; for cross-validation and searches enable metadata routing, "
                    "sklearn.set_config(enable_metadata_routing=True), and "
                    f"set_score_request({role}=True), or name columns of X in the constructor"
                )
                raise ValueError(f"{role} is missing: the rule was fitted with {names}{hint}")
            if columns and not wanted:
                raise ValueError(f"{role} is given, but fit had none")
            found.append(rows.canonical(rows.matched(columns, wanted, role)))
        return X, scores, *found

    # --- Deciding.

    def predict(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
        id: Any = None,
        key: bytes | str | None = None,
        key_file: str | os.PathLike[str] | None = None,
    ) -> npt.NDArray[Any]:
        """Decide for each row.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        sensitive_features, control_features : column or columns, optional
            Unless the constructor names columns of X.
        id : column, optional
            Who it is; the row's own values by default. With the same key the same person always
            has the same decision, here, from the tool and in SQL.
        key : bytes or str, optional
            The secret, instead of the constructor's.
        key_file : str or path, optional
            The file whose bytes are the secret, instead of the constructor's.

        Returns
        -------
        numpy.ndarray
            Of classes.
        """
        check_is_fitted(self)
        secret = self._key(key, key_file)
        X, scores, sensitive, within = self._prepared(X, sensitive_features, control_features)
        probability = self.rule_.probability(
            scores, sensitive or None, within or None, unseen=self.unseen
        )
        positive = probability == 1
        drawn = np.flatnonzero((probability > 0) & (probability < 1))
        if id is not None:
            length = id.shape[0] if hasattr(id, "shape") else len(id)
            if length != len(scores):
                raise ValueError(f"X has {len(scores)} rows, but id has {length}")
        if len(drawn):
            ids = row_ids(_safe_indexing(X, drawn)) if id is None else _safe_indexing(id, drawn)
            coins = self.rule_.decide(
                scores[drawn],
                rows.taken(sensitive, drawn) or None,
                rows.taken(within, drawn) or None,
                id=ids,
                key=secret,
                unseen=self.unseen,
            )
            positive[drawn] = coins == 1
        place = int(self.classes_[1] == self.pos_label_)
        decided: npt.NDArray[Any] = self.classes_[np.where(positive, place, 1 - place)]
        return decided

    def _key(self, key: Any, key_file: Any) -> bytes | str:
        _check_key(key, key_file)
        if key is None and key_file is None:
            key, key_file = self.key, self.key_file
            _check_key(key, key_file)
        if key_file is not None:
            return Path(key_file).read_bytes()
        if key is not None:
            found: bytes | str = key
            return found
        return f"evenhand FairThresholdClassifier {self._seed}"

    def predict_proba(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> Floats:
        """Return the probability of each decision, under the rule.

        Parameters
        ----------
        X, sensitive_features, control_features
            As for :meth:`predict`.

        Returns
        -------
        numpy.ndarray
            Of shape (n_samples, 2), in the order of ``classes_``.
        """
        _, scores, sensitive, within = self._prepared(X, sensitive_features, control_features)
        probability = self.rule_.probability(
            scores, sensitive or None, within or None, unseen=self.unseen
        )
        both = (1 - probability, probability)
        return np.column_stack(both if self.classes_[1] == self.pos_label_ else both[::-1])

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
        id: Any = None,
        key: bytes | str | None = None,
        key_file: str | os.PathLike[str] | None = None,
    ) -> float:
        """Return the share of right decisions.

        Parameters
        ----------
        X, sensitive_features, control_features, id, key, key_file
            As for :meth:`predict`.
        y : array-like of shape (n_samples,)
            What really happened.
        sample_weight : array-like of shape (n_samples,), optional
            How often a row counts.

        Returns
        -------
        float
        """
        decided = self.predict(
            X,
            sensitive_features=sensitive_features,
            control_features=control_features,
            id=id,
            key=key,
            key_file=key_file,
        )
        return float(accuracy_score(y, decided, sample_weight=sample_weight))

    def audit(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> Audit:
        """Audit what is decided for these rows, by ``unseen`` where fit has not seen the group.

        Parameters
        ----------
        X, sensitive_features, control_features
            As for :meth:`predict`.
        y : array-like of shape (n_samples,), optional
            What really happened.
        sample_weight : array-like of shape (n_samples,), optional
            How often a row counts.
        **options
            Others of :func:`evenhand.audit`: ``reference``, ``confidence``, ``calibration_bins``.

        Returns
        -------
        Audit
            Its ``before`` has the decisions by the score alone.
        """
        _, scores, sensitive, within = self._prepared(X, sensitive_features, control_features)
        label = None
        if y is not None:
            check_consistent_length(scores, y)
            y = column_or_1d(y)
            stray = [one for one in np.unique(y).tolist() if one not in self.classes_]
            if stray:
                raise ValueError(f"y has the class {stray[0]!r}, which fit has not seen")
            label = np.asarray(y == self.pos_label_).astype(np.uint8)
        null = self.rule_.null
        if null == "error" and self.unseen != "error":  # as predict, a group that is not known
            null = "?" * (1 + max(map(len, self.rule_._values()), default=0))
        tally = Tally(
            scores,
            sensitive or None,
            within=within or None,
            label=label,
            weight=sample_weight,
            scale=self._scale(),
            resolution=self.resolution,
            null=null,
            threads=self.threads,
        )
        shared = {
            "rule": self._rule_for(tally),
            "cost_fp": self.cost_fp,
            "cost_fn": self.cost_fn,
            "base_threshold": self._base_threshold(),
            **options,
        }
        if not sensitive:
            return audit_tally(tally, **shared)
        if label is not None:
            shared.setdefault("criterion", self.criterion)
        return audit(tally, **{"across": self.across, "threads": self.threads, **shared})

    def _rule_for(self, tally: Tally) -> Rule:
        """Return the rule, with the groups that it does not know as ``unseen`` decides them."""
        names = self.rule_.attributes
        known = {tuple(cell.values()) for cell in self.rule_.cells}
        found = [tuple(cell[name] for name in names) for cell in tally.cells]
        others = [cell for cell in found if cell not in known]
        if self.unseen == "error" or not others:
            return self.rule_
        file = json.loads(self.rule_.to_json())
        rule = file["rule"]
        steps = [[rule["otherwise"], 1]] if self.unseen == "score" else []
        added = [{"values": list(cell), "start": 0, "steps": steps} for cell in others]
        cells = rule["cells"] + added
        order = sorted(
            range(len(cells)), key=lambda i: [value.encode() for value in cells[i]["values"]]
        )
        calibrator = rule.get("calibrator", {})
        if calibrator.get("cells"):  # who is not known has the curve of all
            curves = calibrator["cells"] + [calibrator["all"]] * len(added)
            calibrator["cells"] = [curves[i] for i in order]
        rule["cells"] = [cells[i] for i in order]
        return Rule.from_json(json.dumps(file))

    # --- For scikit-learn.

    def get_metadata_routing(self) -> Any:
        """Return what this classifier uses of metadata, and what it passes on.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        fit_of_fit = MethodMapping().add(caller="fit", callee="fit")
        split_of_fit = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=fit_of_fit)
        splitter = self.cv if hasattr(self.cv, "split") else None
        return router.add(splitter=splitter, method_mapping=split_of_fit)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a rule."""
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Any:
        """Say what it can do: two classes, and of X what the estimator can."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        own = get_tags(self.estimator).input_tags
        for name in ("sparse", "allow_nan", "pairwise", "string", "categorical"):
            setattr(tags.input_tags, name, getattr(own, name))
        return tags


def _check_key(key: Any, key_file: Any) -> None:
    """Refuse paths as secrets, and two secrets."""
    if key is not None and key_file is not None:
        raise ValueError("give either key or key_file, not both")
    if isinstance(key, os.PathLike):
        raise TypeError(f"key is the secret itself; the path of a file is key_file={str(key)!r}")
    if key is not None and not isinstance(key, (bytes, bytearray, str)):
        raise TypeError(f"key must be bytes or a text, not {type(key).__name__}")
    if key_file is not None and not isinstance(key_file, (str, os.PathLike)):
        raise TypeError(f"key_file must be a path, not {type(key_file).__name__}")
