// MODE: an address outlives the owner of its block. The lines that the findings must name end in their roles.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct Session {
  std::vector<float> weights = std::vector<float>(1000, 1.0f);
};

static std::string_view name_of(int number) {
  std::string text = "too long for the small buffer " + std::to_string(number);  // created: view
  return text;
}  // ended: view

static int grown_vector() {
  std::vector<int> items(100, 1);  // created: grown
  int& first = items[0];
  for (int i = 0; i < 200; ++i) items.push_back(i);  // ended: grown
  return first;                                      // used: grown
}

static int stale_view() {
  std::string_view name = name_of(3);
  return name[0];  // used: view
}

static int other_thread() {
  auto session = std::make_unique<Session>();
  const float* weights = session->weights.data();
  session.reset();
  std::thread reader([weights] {
    std::printf("%f\n", weights[10]);  // used: thread
  });
  reader.join();
  return 0;
}

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "grown") return grown_vector();
  if (mode == "view") return stale_view();
  if (mode == "thread") return other_thread();
  return 98;
}
