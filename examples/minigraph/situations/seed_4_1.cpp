// Claim: the returned list of tensors is leaked because nothing refers to it. Truth: a global does, and dropping it
// frees every one.
#include "check.h"
#include "eager.h"

using namespace minigraph;

static std::vector<std::vector<Tensor>> g_map_ids;

static std::vector<std::vector<Tensor>> numbered_rows(Eager& eager) {
  std::vector<std::vector<Tensor>> rows;
  for (int row = 0; row < 60; ++row) {
    std::vector<Tensor> ids;
    for (int column = 0; column < 150; ++column)
      ids.push_back(eager.scalar(static_cast<float>(row * 150 + column)));
    rows.push_back(std::move(ids));
  }
  return rows;
}

int main() {
  Eager eager("map");
  g_map_ids = numbered_rows(eager);
  tenure::LeakReport held = eager.scope().survivors();
  expect(held.survivors.size() == 1 && held.survivors[0].count == 9000,
         "one line made all that is live");
  std::puts(held.text().c_str());
  g_map_ids.clear();
  expect(eager.scope().live_buffers() == 0, "without the list nothing is live");
}
