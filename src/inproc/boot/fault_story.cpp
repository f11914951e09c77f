#include "inproc/boot/fault_story.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <charconv>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/boot/history_calls.h"

namespace tenure::inproc {
namespace {

// Words of a story, put together without the heap.
class Words {
 public:
  Words& add(const char* text) noexcept {
    for (; *text && used_ + 1 < sizeof text_; ++text) text_[used_++] = *text;
    return *this;
  }
  Words& add(uint64_t number) noexcept {
    char digits[24] = {};
    std::to_chars(digits, digits + sizeof digits - 1, number);
    return add(digits);
  }
  StringId interned() const noexcept { return intern_text(text_); }

 private:
  char text_[240] = {};
  size_t used_ = 0;
};

const char* plural(uint64_t n) noexcept { return n == 1 ? " byte" : " bytes"; }

class FaultStory {
 public:
  explicit FaultStory(const char* kind) noexcept {
    story_.kind = intern_text(kind);
    story_.severity = intern_text("error");
  }
  FaultStory& place(const char* role, KnownStack where) noexcept {
    bool is_of_this_ledger = where.generation == accounting().stacks().generation();
    if (where.id && is_of_this_ledger)
      story_.places[story_.place_count++] = {intern_text(role), where.id};
    return *this;
  }
  void tell(const Words& title, const char* why, const char* fix) noexcept {
    story_.title = title.interned();
    story_.why = intern_text(why);
    story_.fix = intern_text(fix);
    accounting().history().add_story(story_);
  }

 private:
  ledger::Story story_{};
};

Words title_of_use(const GuardedBlock& block, const Fault& fault) noexcept {
  return Words()
      .add("byte ")
      .add(fault.address - block.address)
      .add(" of a freed block of ")
      .add(block.bytes)
      .add(plural(block.bytes))
      .add(fault.is_write ? " was written" : " was read");
}

void tell_use(const GuardedBlock& block, const Fault& fault, KnownStack used) noexcept {
  FaultStory("use-after-free")
      .place("created", block.born)
      .place("ended", block.ended)
      .place("used", used)
      .tell(title_of_use(block, fault),
            "an address does not keep its block alive: the block was freed, and the address stayed "
            "behind",
            "use the address only while its owner lives and leaves the block where it is, or copy "
            "what is needed before");
}

void tell_outside(const GuardedBlock& block, const Fault& fault, KnownStack used) noexcept {
  Words title;
  title.add("byte ").add(fault.address - block.address);
  title.add(" of a block of ").add(block.bytes).add(plural(block.bytes));
  FaultStory("out-of-bounds")
      .place("created", block.born)
      .place("used", used)
      .tell(title.add(fault.is_write ? " was written" : " was read"),
            "the block is shorter than the code that uses it believes",
            "compare the size at the first line with the count at the last one");
}

std::atomic_flag g_is_telling;  // the room below belongs to one fault at a time

// Another thread met a fault as well: who goes on now would end the program in the middle of that story.
void wait_for_story() noexcept {
  constexpr int kMostLooks = 1000;
  const timespec millisecond{0, 1'000'000};
  for (int i = 0; i < kMostLooks && g_is_telling.test(); ++i)
    syscall(SYS_nanosleep, &millisecond, nullptr);
}

KnownStack where_interrupted(const NativeRegisters& registers) noexcept {
  static StackTracker::Room room;
  StackTracker& stacks = accounting().stacks();
  return {stacks.interrupted_at(registers, room), stacks.generation()};
}

}  // namespace

bool tell_fault(const Fault& fault) noexcept {
  GuardedBlock block;
  if (!guarded_heap().find(fault.address, &block)) return false;
  // Inside a live block it is the program that protects its pages.
  if (block.is_live && fault.address < block.address + block.bytes) return false;
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return false;
  if (g_is_telling.test_and_set()) return wait_for_story(), false;
  KnownStack used = where_interrupted(fault.registers);
  if (block.is_live)
    tell_outside(block, fault, used);
  else
    tell_use(block, fault, used);
  g_is_telling.clear();
  return true;
}

void tell_double_free(const GuardedBlock& block, KnownStack second) noexcept {
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return;
  FaultStory("double-free")
      .place("created", block.born)
      .place("ended", block.ended)
      .place("used", second)
      .tell(Words()
                .add("a block of ")
                .add(block.bytes)
                .add(plural(block.bytes))
                .add(" was freed a second time"),
            "two owners believed that it was theirs to free",
            "let one of the two lines free it, and set the other's pointer to null");
}

void tell_overrun(const GuardedBlock& block, KnownStack freed) noexcept {
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return;
  FaultStory("out-of-bounds")
      .place("created", block.born)
      .place("ended", freed)
      .tell(Words()
                .add("something was written behind the end of a block of ")
                .add(block.bytes)
                .add(plural(block.bytes)),
            "found when it was freed; which line wrote it is not known, since the bytes lay in the "
            "block's own page",
            "compare the size at the line that made it with what is written to it");
}

}  // namespace tenure::inproc
