// error: use of deleted function
// The parent would close its child at once.
#include <tenure/scope.h>

void use() {
#ifdef MISUSE
  tenure::Scope step =
      tenure::Scope(tenure::ScopeKind::session, "s").open(tenure::ScopeKind::step, "t");
#else
  tenure::Scope session(tenure::ScopeKind::session, "s");
  tenure::Scope step = session.open(tenure::ScopeKind::step, "t");
#endif
}
