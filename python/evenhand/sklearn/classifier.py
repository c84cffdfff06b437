"""FairThresholdClassifier: even-handed decisions as a scikit-learn classifier."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, indexable, validate_data

from .. import _inputs
from .._audit.audit import Audit, audit_tally
from .._audit.auditing import audit
from .._calibrate import Calibrator
from .._criteria import has_error_rates
from .._rule.keys import check_key, secret_of
from .._rule.rule import Rule
from .._solve.fit import fit as fit_rule
from .._solve.found import Fit
from .._tally.tally import Tally
from . import rows
from .ids import row_ids
from .routing import routed, router_of
from .scores import Floats, held_out_scores, response_of, score_of
from .targets import classes_of, favourable, known_labels, weights_of
from .unseen import IN_FIT, LATER, advice, name_of_missing, rule_for

_ROLES = ("sensitive_features", "control_features")


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
        y, self.classes_ = classes_of(y, self.estimator if self._frozen else None, self.pos_label)
        self.pos_label_ = self.classes_[1] if self.pos_label is None else self.pos_label
        labels = favourable(y, self.pos_label_)
        weight = None
        if sample_weight is not None:
            weight = weights_of(sample_weight, X, y, one_class=self._frozen)
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
        estimator_params, split_params = routed(self, metadata, fit_params, self._frozen)
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
        self.fit_: Fit = self._fitted(
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

    def _probability(self, scores: Any, sensitive: Any, within: Any) -> Floats:
        with advice(LATER):
            return self.rule_.probability(
                scores, sensitive or None, within or None, unseen=self.unseen
            )

    @staticmethod
    def _fitted(scores: Any, sensitive: Any, **options: Any) -> Fit:
        with advice(IN_FIT):
            return fit_rule(scores, sensitive, **options)

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
        check_key(self.key, self.key_file)
        if self.drop_attributes and any(callable(getattr(self, role)) for role in _ROLES):
            raise ValueError("drop_attributes needs names or positions of columns, not a function")

    @property
    def _frozen(self) -> bool:
        prefit = isinstance(self.cv, str) and self.cv == "prefit"
        return prefit or isinstance(self.estimator, FrozenEstimator)

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
        if self.response_method_ != "decision_function" or has_error_rates(
            self.criterion, self.require
        ):
            return "none"
        return "platt"

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
        secret = secret_of((key, key_file), (self.key, self.key_file), self._seed)
        X, scores, sensitive, within = self._prepared(X, sensitive_features, control_features)
        probability = self._probability(scores, sensitive, within)
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
        probability = self._probability(scores, sensitive, within)
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
            label = known_labels(y, scores, self.classes_, self.pos_label_)
        with advice(LATER):
            tally = Tally(
                scores,
                sensitive or None,
                within=within or None,
                label=label,
                weight=sample_weight,
                scale=self._scale(),
                resolution=self.resolution,
                null=name_of_missing(self.rule_, self.unseen),
                threads=self.threads,
            )
        shared = {
            "rule": rule_for(self.rule_, tally, self.unseen),
            "cost_fp": self.cost_fp,
            "cost_fn": self.cost_fn,
            "base_threshold": self._base_threshold(),
            **options,
        }
        if not sensitive:
            return audit_tally(tally, **shared)
        if label is not None:
            shared.setdefault("criterion", self.criterion)
        found: Audit = audit(tally, **{"across": self.across, "threads": self.threads, **shared})
        return found

    # --- For scikit-learn.

    def get_metadata_routing(self) -> Any:
        """Return what this classifier uses of metadata, and what it passes on.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        return router_of(self)

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
