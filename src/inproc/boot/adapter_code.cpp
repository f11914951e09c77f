#include "inproc/boot/adapter_code.h"

#include <string.h>

namespace tenure::inproc {
namespace {

struct EmbeddedSource {
  const char* name;
  const char* text;
  long bytes;
};

struct CompiledAdapter {
  long magic;  // of the bytecode; 0: the last one
  const char* name;
  const char* code;  // as marshal writes it
  long bytes;
};

#include "compiled_adapters.inc"  // const CompiledAdapter kCompiled[]
#include "embedded_adapters.inc"  // const EmbeddedSource kSources[]: python/tenure/*.py

constexpr char kBoot[] = "_boot";

PyObject* compiled_before(const PythonApi& api, const char* name) noexcept {
  if (!api.PyImport_GetMagicNumber || !api.PyMarshal_ReadObjectFromString) return nullptr;
  const long magic = api.PyImport_GetMagicNumber();
  for (const CompiledAdapter* adapter = kCompiled; adapter->magic; ++adapter) {
    if (adapter->magic != magic || strcmp(adapter->name, name) != 0) continue;
    PyObject* code = api.PyMarshal_ReadObjectFromString(adapter->code, adapter->bytes);
    if (!code) api.PyErr_Clear();
    return code;
  }
  return nullptr;
}

PyObject* compiled_now(const PythonApi& api, const EmbeddedSource& source) noexcept {
  char file[96] = "<tenure>";
  if (strcmp(source.name, kBoot) != 0) {
    strcat(file, "/");
    strncat(file, source.name, sizeof file / 2);
    strcat(file, ".py");
  }
  return api.Py_CompileStringExFlags(source.text, file, kFileInput, nullptr, -1);
}

}  // namespace

PyObject* adapter_code(const PythonApi& api, const char* name) noexcept {
  if (PyObject* code = compiled_before(api, name)) return code;
  for (const EmbeddedSource& source : kSources) {
    if (strcmp(source.name, name) == 0) return compiled_now(api, source);
  }
  return api.Py_BuildValue("");
}

PyObject* adapter_names(const PythonApi& api) noexcept {
  PyObject* names = api.PyList_New(0);
  for (const EmbeddedSource& source : kSources) {
    PyObject* name = names ? api.Py_BuildValue("s", source.name) : nullptr;
    if (!name) return nullptr;
    api.PyList_Append(names, name);
    api.Py_DecRef(name);
  }
  return names;
}

}  // namespace tenure::inproc
