// Claim: the list of results fills the memory. Truth: the list is small; each month adds a constant and two ops to the
// default graph.
#include "check.h"
#include "session.h"

using namespace minigraph;

static std::vector<float> simulate(int months, std::int64_t accounts) {
  std::vector<float> history;
  Session bank("bank");
  auto count = static_cast<std::size_t>(accounts);
  std::vector<float> balances(count, 1000);
  for (int month = 0; month < months; ++month) {
    Output balance = default_graph().constant(balances, {accounts});  // grows
    Output interest =
        default_graph().op(Op::multiply, {balance, default_graph().constant({0.003F}, {})});
    balances = bank.fetch(default_graph().op(Op::add, {balance, interest}));
    history.push_back(balances[0]);
  }
  bank.close();
  return history;
}

int main() {
  std::vector<float> history = simulate(100, 12000);
  expect(default_graph().size() == 400, "four ops a month stay");
  std::size_t kept = default_graph().scope().live_bytes();
  expect(history.size() * sizeof(float) * 100 < kept, "the list is less than a hundredth of it");
  std::printf("gained %.2f\n", history.back() - 1000);
}
