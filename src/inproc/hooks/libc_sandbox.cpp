// inproc/hooks/libc_sandbox.cpp: prctl, to know when the program locks itself in.
// World: inside. Any thread.
#include <stdarg.h>

#include "inproc/accounting/accounting.h"
#include "inproc/hooks/real.h"
#include "inproc/os/sandbox.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

// All calls have at most four further arguments; what was not given is not read by the kernel.
EXPORTED int prctl(int option, ...) noexcept {
  va_list rest;
  va_start(rest, option);
  unsigned long given[4];
  for (unsigned long& word : given) word = va_arg(rest, unsigned long);
  va_end(rest);
  int result = real().prctl(option, given[0], given[1], given[2], given[3]);
  if (result != 0) return result;
  note_prctl(option);
  if (option == PR_SET_SECCOMP)
    accounting().add_fact("sandbox",
                          "off: the program locked itself in; its children since are not seen");
  return result;
}
