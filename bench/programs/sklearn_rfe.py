"""Chooses features of made-up data by fitting again and again, and a forest on what is left."""

import numpy
import told
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression


def main():
    told.working()
    x, y = make_classification(
        n_samples=600, n_features=20, n_informative=4, random_state=0, n_classes=3
    )
    chosen = RFECV(LogisticRegression(max_iter=500), cv=5).fit(x, y)
    forest = RandomForestClassifier(n_estimators=60, random_state=0).fit(x[:, chosen.support_], y)
    print(
        chosen.n_features_, round(float(numpy.mean(forest.predict(x[:, chosen.support_]) == y)), 2)
    )
    told.done()


main()
