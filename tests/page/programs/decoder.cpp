// A decoder that keeps every frame it has decoded.
#include <cstring>
#include <memory>
#include <vector>

struct Frame {
  std::unique_ptr<char[]> pixels;
};

struct Session {
  std::vector<Frame> frames;
  void decode(size_t bytes) {
    Frame frame{std::make_unique<char[]>(bytes)};
    std::memset(frame.pixels.get(), 1, bytes);
    frames.push_back(std::move(frame));
  }
};

int main() {
  Session session;
  for (size_t i = 0; i < 600; ++i) session.decode(48'000 + i);
  return session.frames.size() == 600 ? 0 : 1;
}
