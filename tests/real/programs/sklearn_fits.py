"""Fits of scikit-learn again and again on random data, as a search over models does."""

import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def models(seed):
    yield make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    yield make_pipeline(PCA(8), KNeighborsClassifier())
    yield RandomForestClassifier(n_estimators=10, max_depth=6, random_state=seed)
    yield GradientBoostingClassifier(n_estimators=5, random_state=seed)
    yield SGDClassifier(random_state=seed)


def main(rounds, keeps):
    rng = np.random.default_rng(0)
    best, fitted = 0.0, []
    for seed in range(rounds):
        x = rng.normal(size=(1000, 40))
        y = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(int)
        for model in models(seed):
            best = max(best, cross_val_score(model, x, y, cv=3).mean())
        clusters = KMeans(n_clusters=4, n_init=2, random_state=seed)
        distances = clusters.fit_transform(np.vstack([x, x + 1]))  # made
        if keeps:
            fitted.append((clusters, distances))  # kept
    print(f"best accuracy {best:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
