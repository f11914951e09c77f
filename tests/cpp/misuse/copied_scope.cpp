// error: use of deleted function
// Two owners of one scope would close it twice.
#include <tenure/scope.h>

void serve(tenure::Scope& session) {
#ifdef MISUSE
  tenure::Scope other = session;
#else
  tenure::Scope other = session.open(tenure::ScopeKind::request, "r");
#endif
}
