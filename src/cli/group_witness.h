// cli/group_witness.h: tells whether a signal that came to us was sent to the whole process group, and so to the program too.
// World: beside the program. One thread. The witness is a process of ours in the group that holds all signals back: the
// kernel's list of what waits for it is the answer, for a signal itself does not say whom it was sent to.
#pragma once
#include <sys/types.h>

namespace tenure::cli {

class GroupWitness {
 public:
  GroupWitness() = default;
  ~GroupWitness() { end(); }
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  void
  start();  // after the program, our first child; where there can be none, has_seen() is never true

  // Whether it got this signal as well. It has forgotten it afterwards.
  bool has_seen(int signal);

 private:
  bool is_pending(int signal) const;
  void end();

  pid_t pid_ = -1;
};

}  // namespace tenure::cli
