"""FairThresholdClassifier: even-handed decisions as a scikit-learn classifier."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, indexable, validate_data

from .._calibrate import Calibrator
from .._report import Report
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._solve.found import Fit
from .._solve.provenance import Asked
from .._solve.soft import SoftFit
from . import rows
from .deciding import ROLES, Decides
from .fitting import FitsRules
from .routing import routed, router_of
from .targets import classes_of, favourable, favourable_class, weights_of


class FairThresholdClassifier(
    FitsRules,
    Decides,
    ClassifierMixin,  # type: ignore[misc]
    MetaEstimatorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Turn any classifier's scores into the most accurate decisions that treat groups alike.

    Fits the classifier, takes its scores of rows that it was not fitted on, and finds the rule
    that :func:`evenhand.fit` finds for them.

    Parameters
    ----------
    estimator : estimator
        A binary classifier with ``predict_proba`` or ``decision_function``.
    criterion, tolerance, ratio, rho, require, no_worse, across, allow_many_groups
        What is fair, as for :func:`evenhand.fit`; there is no default.
    blind : bool
        One rule for all groups: they are used to find it, and ``predict`` takes none.
    lottery, max_lottery
        Who is decided by a coin, as for :func:`evenhand.fit`.
    confidence, bound, certify, certify_partial
        What is promised for new people, as for :func:`evenhand.fit`, in ``fit_.bound``. It takes
        the scores of the final model: a fitted one (``FrozenEstimator``, ``cv="prefit"``), or
        ``calibration_size``.
    calibration_size : float or int, optional
        Hold out this share, or number, of the rows for the rule, and fit the classifier on the
        others; instead of ``cv``.
    group_estimator : estimator, optional
        A classifier of the group, which sees what ``estimator`` sees and the score. Decisions then
        follow from its probabilities, so that ``predict`` needs no group at all: the rule is a
        :class:`evenhand.SoftRule`, fitted on probabilities by cross-fitting. For every criterion
        but equal-rates; for those of error rates it sees the outcome too, and the rule takes its
        probabilities for either one.
    gamma, cost_fp, cost_fn, base_threshold, resolution, threads
        As for :func:`evenhand.fit`.
    source, stamp
        What the rule's file records about its origin, as for :func:`evenhand.fit`; of estimators
        the names of their classes, and never the key.
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
    pos_label : int, float, bool, str or callable, optional
        The favourable class, or a function of the list of both, such as ``max``. It may be left out
        where classes are 0 and 1, or False and True: then it is 1, or True.
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
    constraints, prefit : optional
        Fairlearn's names, for code that comes from there: ``constraints`` is ``criterion``, and
        ``prefit=True`` is ``cv="prefit"``.

    Attributes
    ----------
    rule_ : Rule or SoftRule
        What decides.
    fit_ : Fit or SoftFit
        How the rule was found, with its proof.
    group_estimator_ : estimator
        The fitted classifier of the group, if there is one.
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
        self, estimator: Any, *,
        criterion: str | None = None,
        tolerance: float | None = None, ratio: float | None = None, rho: float | str | None = None,
        require: str | Sequence[str] = (), no_worse: str | Sequence[str] = (),
        across: str = "intersection", allow_many_groups: bool = False,
        blind: bool = False,
        lottery: str = "fewest", max_lottery: float | None = None,
        confidence: float | None = None, bound: str | None = None, certify: float | None = None,
        certify_partial: bool = False,
        calibration_size: float | int | None = None, group_estimator: Any = None,
        gamma: float | str | None = None,
        cost_fp: float = 1.0, cost_fn: float = 1.0, base_threshold: float | None = None,
        resolution: str | int = "exact",
        calibrate: str | Calibrator = "auto", calibrate_by: str = "cell",
        solver: str = "exact", projection: str = "corrected", learning_rate: float | None = None,
        epochs: float | None = None, steps: int | None = None, record_every: int | None = None,
        sensitive_features: rows.Selector = None, control_features: rows.Selector = None,
        drop_attributes: bool = False,
        response_method: str = "auto", cv: Any = 5, pos_label: Any = None,
        unseen: str = "error", null: str = "error",
        key: bytes | str | None = None, key_file: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None, threads: int = 0,
        source: Asked = True, stamp: bool = False,
        constraints: str | None = None, prefit: bool | None = None,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.criterion = criterion
        self.tolerance = tolerance
        self.ratio = ratio
        self.rho = rho
        self.require = require
        self.no_worse = no_worse
        self.across = across
        self.allow_many_groups = allow_many_groups
        self.blind = blind
        self.lottery = lottery
        self.max_lottery = max_lottery
        self.confidence = confidence
        self.bound = bound
        self.certify = certify
        self.certify_partial = certify_partial
        self.calibration_size = calibration_size
        self.group_estimator = group_estimator
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
        self.source = source
        self.stamp = stamp
        self.constraints = constraints
        self.prefit = prefit

    # --- Fitting.

    def fit(
        self, X: Any, y: Any, *,
        sensitive_features: Any = None, control_features: Any = None, sample_weight: Any = None,
        **fit_params: Any,
    ) -> FairThresholdClassifier:  # fmt: skip
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
        self._give_advice()
        rows.refuse_flat(X)
        validate_data(self, X, skip_check_array=True)
        if getattr(self, "n_features_in_", 1) == 0:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={np.shape(X)}) while a minimum of 1 is "
                "required."
            )
        X, y = indexable(X, y)
        y, self.classes_ = classes_of(y, self.estimator if self._frozen else None)
        self.pos_label_ = favourable_class(self.classes_, self.pos_label)
        labels = favourable(y, self.pos_label_)
        weight = None
        if sample_weight is not None:
            weight = weights_of(sample_weight, X, y, one_class=self._frozen)
        length = len(labels)
        columns = [
            self._columns(X, length, role, value)
            for role, value in zip(ROLES, (sensitive_features, control_features), strict=True)
        ]
        if self._criterion and not columns[0]:
            raise ValueError(
                f"sensitive_features is missing: {self._criterion} compares groups; give it to "
                "fit, or name columns of X in the constructor"
            )
        sensitive, within = map(rows.canonical, columns)
        metadata = {
            **dict(zip(ROLES, (sensitive_features, control_features), strict=True)),
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
        common = {"within": within or None, "label": labels, "weight": weight}
        self.fit_: Fit | SoftFit
        if self.group_estimator is not None:
            seen = features if tested is None else _safe_indexing(features, tested)
            self.fit_ = self._fitted_soft(seen, scores, sensitive, common)
        else:
            self.fit_ = self._fitted(scores, sensitive, common)
        self._names = {
            role: [(column.name, column.explicit or column.own) for column in given]
            for role, given in zip(ROLES, columns, strict=True)
        }
        self.rule_: Rule | SoftRule = self.fit_.rule
        return self

    # --- For scikit-learn.

    def report(self, **options: Any) -> Report:
        """Report on the rule and the rows that it was fitted on.

        Parameters
        ----------
        **options
            Those of :meth:`evenhand.Audit.report`, or with ``group_estimator`` of
            :meth:`evenhand.SoftAudit.report`.
        """
        check_is_fitted(self)
        return self.fit_.report(**options)

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
