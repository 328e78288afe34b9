"""Writes the models of docs/use/classical.md: what scikit-learn, LightGBM and XGBoost are exported as, for 1 and for 1,000 rows.

Needs scikit-learn, skl2onnx, lightgbm, xgboost and onnxmltools, in an environment of its own:

    python tools/export_classical.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import onnx
import onnxmltools
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn import datasets, ensemble, linear_model, neural_network, pipeline, preprocessing, svm

FEATURES = 30
ROWS = (1, 1000)


def models() -> Iterator[tuple[str, Callable[[], onnx.ModelProto]]]:
    """Names, and functions that train a model on 5,000 made rows and export it."""
    x, y = datasets.make_classification(5000, FEATURES, n_informative=15, n_classes=3, random_state=0)
    _, two = datasets.make_classification(5000, FEATURES, n_informative=15, random_state=0)
    _, real = datasets.make_regression(5000, FEATURES, n_informative=15, random_state=0)
    x = x.astype(np.float32)
    scaled = (preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=1000))
    learned: dict[str, tuple[Any, np.ndarray]] = {
        "forest_3": (ensemble.RandomForestClassifier(100, random_state=0), y),
        "forest_real": (ensemble.RandomForestRegressor(100, max_depth=12, random_state=0), real),
        "boosting_2": (ensemble.GradientBoostingClassifier(random_state=0), two),
        "logistic_3": (pipeline.make_pipeline(*scaled), y),
        "svc_3": (pipeline.make_pipeline(preprocessing.StandardScaler(), svm.SVC()), y),
        "mlp_3": (neural_network.MLPClassifier((100,), random_state=0, max_iter=50), y),
    }
    for name, (model, target) in learned.items():
        options = {"zipmap": False} if hasattr(model, "predict_proba") or "_3" in name else None
        yield (
            name,
            lambda model=model, target=target, options=options: to_onnx(
                model.fit(x, target), x[:1], options=options
            ),
        )
    kinds = [("x", FloatTensorType([None, FEATURES]))]
    yield (
        "lightgbm_2",
        lambda: onnxmltools.convert_lightgbm(
            lightgbm.LGBMClassifier(verbose=-1).fit(x, two), initial_types=kinds, zipmap=False
        ),
    )
    yield (
        "xgboost_3",
        lambda: onnxmltools.convert_xgboost(xgboost.XGBClassifier().fit(x, y), initial_types=kinds),
    )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, export in models():
        model = export()
        for rows in ROWS:
            model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = rows
            onnx.save(model, folder / f"{name}_x{rows}.onnx")
        print(name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
