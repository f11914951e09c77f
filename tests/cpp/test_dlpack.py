"""DLPack with the real NumPy and PyTorch: no copies, and defined ends on both sides of the border."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Dict

import pytest

HERE = Path(__file__).resolve().parent

# Runs inside the framework's interpreter; `take` and `give` are its two ways across.
PROLOGUE = """
import ctypes, gc, sys
bridge = ctypes.CDLL(sys.argv[1])
bridge.said.restype = ctypes.c_char_p
for name in ("open_scope", "export_table"):
    getattr(bridge, name).restype = ctypes.c_void_p
bridge.export_table.argtypes = [ctypes.c_void_p, ctypes.c_bool]
for name in ("close_scope", "import_tensor"):
    getattr(bridge, name).restype = ctypes.c_bool
bridge.close_scope.argtypes = bridge.destroy_scope.argtypes = [ctypes.c_void_p]
bridge.live_bytes.argtypes = bridge.first_of_table.argtypes = [ctypes.c_void_p]
bridge.live_bytes.restype = ctypes.c_size_t
bridge.import_tensor.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
bridge.imported_at.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
bridge.imported_at.restype = bridge.first_of_table.restype = ctypes.c_float

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor"

class Exported:
    def __init__(self, pointer):
        self.capsule = api.PyCapsule_New(pointer, b"dltensor", None)
    def __dlpack__(self, **options):
        return self.capsule
    def __dlpack_device__(self):
        return (1, 0)

def give(scope, tensor):
    capsule = tensor.__dlpack__()
    is_taken = bridge.import_tensor(scope, api.PyCapsule_GetPointer(capsule, b"dltensor"))
    if is_taken:
        api.PyCapsule_SetName(capsule, USED)
    return is_taken
"""
FRAMEWORKS = {
    "numpy": "import numpy as np\ntake = np.from_dlpack\n"
    "make = lambda: np.arange(6, dtype=np.float32).reshape(2, 3)\nwrong = np.arange(6)\n",
    "torch": "import torch\ntake = torch.from_dlpack\n"
    "make = lambda: torch.arange(6, dtype=torch.float32).reshape(2, 3)\nwrong = torch.arange(6)\n",
}


# What must hold with every framework; each piece runs on its own, all in one interpreter.
BEHAVIOURS = {
    "a_tensor_goes_out_without_a_copy": """
scope = bridge.open_scope()
table = take(Exported(bridge.export_table(scope, False)))
assert table.tolist() == [[0, 1, 2], [3, 4, 5]], table
turned = take(Exported(bridge.export_table(scope, True)))
assert turned.tolist() == [[0, 3], [1, 4], [2, 5]], turned
address = table.data_ptr() if hasattr(table, "data_ptr") else table.ctypes.data
ctypes.c_float.from_address(address).value = 7
assert turned[0, 0] == 7 and bridge.first_of_table(scope) == 7
""",
    "a_scope_refuses_to_close_while_the_framework_holds_its_tensor": """
scope = bridge.open_scope()
table = take(Exported(bridge.export_table(scope, False)))
assert not bridge.close_scope(scope)
assert b"buffer `table` is in use since" in bridge.said() and b"dlpack_bridge.cpp" in bridge.said()
del table
gc.collect()
assert bridge.close_scope(scope), bridge.said()
""",
    "memory_outlives_a_scope_that_is_destroyed_first": """
scope = bridge.open_scope()
table = take(Exported(bridge.export_table(scope, False)))
bridge.destroy_scope(scope)
assert table.tolist() == [[0, 1, 2], [3, 4, 5]]
del table
""",
    "a_closed_scope_exports_nothing": """
scope = bridge.open_scope()
take(Exported(bridge.export_table(scope, False)))
gc.collect()
assert bridge.close_scope(scope), bridge.said()
assert bridge.export_table(scope, False) is None
assert b"was ended before this use" in bridge.said() and b"by closing request `bridge`" in bridge.said()
""",
    "a_tensor_comes_in_without_a_copy_and_goes_back_when_its_scope_closes": """
scope = bridge.open_scope()
array = make()
before = sys.getrefcount(array)
assert give(scope, array), bridge.said()
assert bridge.live_bytes(scope) == 24
assert bridge.imported_at(scope, 1, 2) == 5
array[1, 2] = 9
assert bridge.imported_at(scope, 1, 2) == 9
del array
gc.collect()
assert bridge.imported_at(scope, 1, 2) == 9  # the scope keeps it
assert bridge.close_scope(scope)
assert bridge.imported_at(scope, 0, 0) == -1
assert b"tensor `imported` was ended before this use" in bridge.said()
""",
    "a_tensor_with_strides_comes_in_as_it_lies": """
scope = bridge.open_scope()
assert give(scope, make().T), bridge.said()
assert bridge.imported_at(scope, 2, 0) == 2 and bridge.imported_at(scope, 0, 1) == 3
""",
    "a_tensor_of_another_type_is_refused_and_stays_with_its_owner": """
scope = bridge.open_scope()
assert not give(scope, wrong)
assert bridge.said() == b"the tensor holds int64, not float32", bridge.said()
assert bridge.live_bytes(scope) == 0 and wrong.tolist() == list(range(6))
""",
}

EPILOGUE = """
import json, traceback
failed = {}
for name, code in json.loads(sys.argv[2]).items():
    try:
        exec(code, dict(globals()))
    except Exception:
        failed[name] = traceback.format_exc()
print(json.dumps(failed))
"""


@pytest.fixture(scope="module")
def failed_in(env, build_cpp):
    """failed_in("torch") -> {behaviour: traceback}; a framework is imported once."""
    known: Dict[str, Dict[str, str]] = {}

    def run(framework: str) -> Dict[str, str]:
        if framework not in known:
            library = build_cpp(HERE / "dlpack_bridge.cpp", shared=True)
            code = FRAMEWORKS[framework] + PROLOGUE + EPILOGUE
            words = [env(framework), "-c", code, str(library), json.dumps(BEHAVIOURS)]
            done = subprocess.run(words, capture_output=True, encoding="utf-8")
            assert done.returncode == 0, done.stderr
            known[framework] = json.loads(done.stdout)
        return known[framework]

    return run


@pytest.mark.parametrize("framework", sorted(FRAMEWORKS))
@pytest.mark.parametrize("behaviour", sorted(BEHAVIOURS))
def test_dlpack(failed_in, framework, behaviour):
    assert failed_in(framework).get(behaviour) is None


def test_the_binary_interface_is_that_of_the_public_header(env, prefix, tmp_path):
    """Compiled against the header that PyTorch ships."""
    where = "import torch, pathlib; print(pathlib.Path(torch.__file__).parent / 'include')"
    done = subprocess.run([env("torch"), "-c", where], capture_output=True, encoding="utf-8")
    include = Path(done.stdout.strip())
    if not (include / "ATen" / "dlpack.h").exists():
        pytest.skip("this PyTorch ships no dlpack.h")
    source = tmp_path / "same.cpp"
    fields = ["data", "shape", "strides", "byte_offset"]
    renamed = [("ndim", "dimensions"), ("dtype", "type"), ("device", "device")]
    pairs = [(name, name) for name in fields] + renamed
    checks = [
        f"static_assert(offsetof(DLTensor, {theirs}) == offsetof(tenure::dlpack::Tensor, {ours}));"
        for theirs, ours in pairs
    ]
    checks += [
        "static_assert(sizeof(DLManagedTensor) == sizeof(tenure::dlpack::ManagedTensor));",
        "static_assert(offsetof(DLManagedTensor, deleter) == "
        "offsetof(tenure::dlpack::ManagedTensor, deleter));",
        "static_assert(kDLCPU == tenure::dlpack::kCpu && kDLFloat == 2 && kDLBool == 6);",
    ]
    source.write_text(
        "#include <ATen/dlpack.h>\n#include <cstddef>\n#include <tenure/dlpack.h>\n"
        + "\n".join(checks)
    )
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{include}", f"-I{prefix}/include", source]
    subprocess.run(command, check=True)
