// What test_dlpack.py calls through ctypes: a scope, tensors out of it and into it.
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "tenure/dlpack.h"
#include "tenure/errors.h"

namespace {

using namespace tenure;

struct Held {
  Scope scope{ScopeKind::request, "bridge"};
  std::optional<Buffer<float>> made;
  std::optional<dlpack::Imported<float>> imported;
};

std::string g_said;  // of the last error

template <class Do>
bool succeeds(const Do& act) {
  try {
    act();
    return true;
  } catch (const std::exception& error) {
    g_said = error.what();
    return false;
  }
}

}  // namespace

extern "C" {

const char* said() { return g_said.c_str(); }
void* open_scope() { return new Held; }
void destroy_scope(void* held) { delete static_cast<Held*>(held); }
bool close_scope(void* held) {
  return succeeds([&] { static_cast<Held*>(held)->scope.close(); });
}
std::size_t live_bytes(void* held) { return static_cast<Held*>(held)->scope.live_bytes(); }

// A table of 2 x 3 numbers 0 to 5, or its transpose; as the pointer of a capsule. Null: said() tells why.
void* export_table(void* held, bool is_turned) {
  void* exported = nullptr;
  succeeds([&] {
    auto* h = static_cast<Held*>(held);
    if (!h->made) {
      h->made.emplace(h->scope, "table", 6);
      std::iota(h->made->values().begin(), h->made->values().end(), 0.0F);
    }
    TensorView<float> table(*h->made, {2, 3});
    exported = dlpack::to_dlpack(is_turned ? table.transposed(0, 1) : table).release();
  });
  return exported;
}
float first_of_table(void* held) { return static_cast<Held*>(held)->made->values()[0]; }

bool import_tensor(void* held, void* managed) {
  return succeeds([&] {
    dlpack::Owned owned(static_cast<dlpack::ManagedTensor*>(managed));
    auto* h = static_cast<Held*>(held);
    try {
      h->imported.emplace(dlpack::from_dlpack<float>(h->scope, std::move(owned), "imported"));
    } catch (...) {
      (void)owned.release();  // the capsule is still its owner
      throw;
    }
  });
}
// The element at [row, column]; on an error the bridge says why and gives -1.
float imported_at(void* held, long row, long column) {
  float value = -1;
  succeeds([&] { value = static_cast<Held*>(held)->imported->view.at({row, column}); });
  return value;
}
}
