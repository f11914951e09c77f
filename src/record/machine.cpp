#include "record/machine.h"

#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tenure::record {
namespace {

uint64_t system_value(int name) {
  long value = sysconf(name);
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

}  // namespace

MachineFacts this_machine() {
  MachineFacts facts;
  utsname names{};
  if (uname(&names) == 0) {
    facts.kernel = std::string(names.sysname) + " " + names.release;
    facts.architecture = names.machine;
  }
  facts.libc = std::string("glibc ") + gnu_get_libc_version();
  facts.cpus = system_value(_SC_NPROCESSORS_ONLN);
  facts.page_bytes = system_value(_SC_PAGESIZE);
  facts.memory_bytes = system_value(_SC_PHYS_PAGES) * facts.page_bytes;
  return facts;
}

}  // namespace tenure::record
