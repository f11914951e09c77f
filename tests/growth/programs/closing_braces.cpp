// usage: closing_braces leak|clean. Two of three lines make temporaries that must be destroyed: GCC tells calls that it
// inlines there at the closing brace of their function.
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace {

struct Record {
  std::vector<int> values;
};

class Bus {
 public:
  void subscribe(std::function<size_t()> callback) { callbacks_.push_back(std::move(callback)); }
  void clear() { callbacks_.clear(); }

 private:
  std::vector<std::function<size_t()>> callbacks_;
};

Bus bus;
volatile double sum;

double handle(int request) {
  std::vector<double> payload(5000, request);
  double answer = payload[3] * 2;
  bus.subscribe([payload] { return payload.size(); });  // captured
  return answer;
}

}  // namespace

int main(int, char** words) {
  bool is_kept = strcmp(words[1], "leak") == 0;
  std::vector<std::unique_ptr<Record>> records;
  for (int i = 0; i < 350; ++i) {
    auto record = std::make_unique<Record>(Record{std::vector<int>(7000, i)});  // made
    sum = record->values[7] + handle(i);
    if (is_kept)
      records.push_back(std::move(record));
    else
      bus.clear();
  }
  printf("%zu\n", records.size());
  return 0;
}
