#include "inproc/boot/layout_calls.h"

#include <algorithm>

#include "base/hash.h"
#include "inproc/os/memory.h"
#include "inproc/snapshot/snapshots.h"

namespace tenure::inproc {
namespace {

constexpr int kMostWords = 64;
constexpr uint64_t kPiece = 4096;
constexpr uint64_t kMostPieces = 16;  // some 10 us in all

PythonApi g_api;

}  // namespace

void start_layout_calls(const PythonApi& api) noexcept { g_api = api; }

PyObject* read_words(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  int count;
  if (!g_api.PyArg_ParseTuple(args, "Ki", &address, &count)) return nullptr;
  uint64_t words[kMostWords];
  size_t copied =
      read_memory(address, words, 8 * static_cast<size_t>(std::clamp(count, 0, kMostWords)));
  PyObject* list = g_api.PyList_New(0);
  for (size_t i = 0; list && i < copied / 8; ++i) {
    PyObject* word = g_api.Py_BuildValue("K", static_cast<unsigned long long>(words[i]));
    if (!word) return nullptr;
    g_api.PyList_Append(list, word);
    g_api.Py_DecRef(word);
  }
  return list;
}

PyObject* hash_contents(PyObject*, PyObject* args) noexcept {
  unsigned long long address, bytes;
  if (!g_api.PyArg_ParseTuple(args, "KK", &address, &bytes)) return nullptr;
  uint64_t pieces = std::min<uint64_t>((bytes + kPiece - 1) / kPiece, kMostPieces);
  uint64_t hash = bytes;
  for (uint64_t i = 0; i < pieces; ++i) {
    char piece[kPiece];
    uint64_t length = std::min<uint64_t>(bytes, kPiece);
    uint64_t at = pieces > 1 ? (bytes - length) / (pieces - 1) * i : 0;
    if (i + 1 == pieces) at = bytes - length;
    hash = mix(hash, hash_bytes(piece, read_memory(address + at, piece, length)));
  }
  return g_api.Py_BuildValue("K", static_cast<unsigned long long>(hash));
}

PyObject* set_torch_layout(PyObject*, PyObject* args) noexcept {
  PyObject* fields;
  if (!g_api.PyArg_ParseTuple(args, "O", &fields)) return nullptr;
  int64_t values[kTorchFields] = {};
  bool fits = g_api.PyList_Size(fields) == kTorchFields;
  for (int i = 0; fits && i < kTorchFields; ++i) {
    unsigned long long value = g_api.PyLong_AsUnsignedLongLong(g_api.PyList_GetItem(fields, i));
    if (g_api.PyErr_Occurred()) return nullptr;
    values[i] = static_cast<int64_t>(value);
  }
  TorchLayout layout{};
  if (fits) memcpy(&layout, values, sizeof layout);
  snapshots().set_torch(layout);
  return g_api.Py_BuildValue("i", fits ? 1 : 0);
}

}  // namespace tenure::inproc
