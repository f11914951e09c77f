"""pytest: each test is a step.

Runs in Tenure's private namespace, once `_pytest.runner` is loaded; `native` and `interceptors` are given.
"""

import sys


def on_test(*_args, **_kwargs):
    native["framework_step"]("test")


def start():
    part = interceptors["Part"]("adapter.pytest.tests")
    part.intercept(sys.modules.get("_pytest.runner"), "runtestprotocol", before=on_test)
    part.is_set()


start()
