// Keeps every row it makes: a leak of a native program, with a loop to count it in.
#include <cstdlib>
#include <cstring>
#include <vector>

static std::vector<char*> rows;

__attribute__((noinline)) char* row(size_t bytes) {
  char* made = static_cast<char*>(std::malloc(bytes));
  std::memset(made, 1, bytes);
  return made;
}

int main() {
  volatile int count = 60;
  for (int i = 0; i < count; ++i) {
    rows.push_back(row(100000));
    std::free(row(50000));
  }
  return rows.size() == 60 ? 0 : 1;
}
