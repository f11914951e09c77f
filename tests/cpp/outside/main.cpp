// Keeps a result longer than the request it belongs to, and prints what became of it.
#include <tenure/buffer.h>

#include <tenure/errors.h>
#include <iostream>

static tenure::Buffer<float> answer(tenure::Scope& session) {
  tenure::Scope request = session.open(tenure::ScopeKind::request, "r1");
  tenure::Buffer<float> logits(request, "logits", 1000);
  request.close();
  return logits;
}

int main() {
  tenure::Scope session(tenure::ScopeKind::session, "serving");
  tenure::Buffer<float> logits = answer(session);
  try {
    std::cout << logits.values()[0] << "\n";
  } catch (const tenure::DetachedBuffer& error) {
    std::cout << error.what() << "\n";
    std::cout << error.history().json() << "\n";
  }
}
