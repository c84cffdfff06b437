"""What of the metadata of fit goes to the classifier, and to the splitter."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter


def router_of(owner: Any) -> MetadataRouter:
    """Return what a classifier with an ``estimator`` and a ``cv`` uses and passes on."""
    fit_of_fit = MethodMapping().add(caller="fit", callee="fit")
    split_of_fit = MethodMapping().add(caller="fit", callee="split")
    router = MetadataRouter(owner=owner).add_self_request(owner)
    router.add(estimator=owner.estimator, method_mapping=fit_of_fit)
    splitter = owner.cv if hasattr(owner.cv, "split") else None
    return router.add(splitter=splitter, method_mapping=split_of_fit)


def routed(
    owner: Any, metadata: dict[str, Any], fit_params: dict[str, Any], frozen: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what goes to the estimator's fit, and to the splitter.

    Parameters
    ----------
    owner : FairThresholdClassifier
        Whose fit it is; warnings are for the caller of that.
    metadata : dict
        What fit takes itself.
    fit_params : dict
        What else it was given.
    frozen : bool
        Whether the estimator is not fitted.
    """
    metadata = {name: value for name, value in metadata.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        found = process_routing(owner, "fit", **metadata, **fit_params)
        return dict(found.estimator.fit), dict(found.splitter.split)
    if frozen:
        if fit_params:
            raise ValueError(
                f"the estimator is not fitted again, nothing takes {next(iter(fit_params))!r}"
            )
        return {}, {}
    if "sample_weight" in metadata:
        if has_fit_parameter(owner.estimator, "sample_weight"):
            fit_params = {**fit_params, "sample_weight": metadata["sample_weight"]}
        elif not any(name.endswith("sample_weight") for name in fit_params):
            warnings.warn(
                f"{type(owner.estimator).__name__}.fit takes no sample_weight, only the rule "
                "has it; for a step of a pipeline, give <step>__sample_weight too or enable "
                "metadata routing",
                UserWarning,
                stacklevel=3,
            )
    return fit_params, {}
