// ledger/protocol.h: how a traced process finds its supervisor and hands it a new ledger.
// World: both. Over SOCK_SEQPACKET sockets in the abstract namespace. For a ledger: one JoinMessage with one memfd, no
// answer. For a snapshot, at a socket of its own: the connection says that one is under way; a SnapshotMessage with a
// memfd follows when it is done, or the connection ends without one. Queries have a socket too, see below.
#pragma once
#include <cstdint>

namespace tenure::ledger {

inline constexpr char kSocketVariable[] =
    "TENURE_SOCKET";  // name of the socket, without the leading NUL
inline constexpr char kMainPidVariable[] = "TENURE_MAIN_PID";  // the process `tenure run` started
// Whose heap blocks come from: kHeapOfTenure, kGuardedHeap (`tenure run --guard`), or anything else for libc's
// (`tenure run --observe`).
inline constexpr char kHeapVariable[] = "TENURE_HEAP";
inline constexpr char kHeapOfTenure[] = "territory", kGuardedHeap[] = "guarded",
                      kHeapOfLibc[] = "libc";
// Which NumPy arrays are counted one by one: kAllArrays (`tenure run --small-arrays`), or those from 1 KiB up.
inline constexpr char kArraysVariable[] = "TENURE_ARRAYS";
inline constexpr char kAllArrays[] = "all", kLargeArrays[] = "large";
// Whether the text of cells of a notebook goes into the ledger: kNoText (`tenure run --no-source`), or kText.
inline constexpr char kTextVariable[] = "TENURE_TEXT";
inline constexpr char kText[] = "kept", kNoText[] = "none";
// Set for a program that is to be started without the library: it works for Tenure, not for the program.
inline constexpr char kLeaveOutVariable[] = "TENURE_LEAVE_OUT";
inline constexpr char kPreloadVariable[] = "LD_PRELOAD";

inline constexpr char kSnapshotSocketSuffix[] = ".snapshots";  // behind the name of the other one

struct SnapshotMessage {
  uint32_t version;  // kSnapshotVersion of what follows
  int32_t pid;       // of the process it shows, as that one sees it
};

// Asked at a third socket, by the program itself, `tenure show --now` or `tenure live`. One Query; the answer is one message of text:
// kAnswered or kNotAnswered and the words.
inline constexpr char kQuerySocketSuffix[] = ".queries";
inline constexpr char kAnswered = '+', kNotAnswered = '-';
inline constexpr uint32_t kLongestAnswer = 32 << 10;

enum class QueryKind : uint32_t {
  who_holds,  // the block at `address`, in the first snapshot taken at `since_ns` or later
  snapshot,   // take one; the answer is the process and the record's folder, which has it
  record,  // the record's folder, once it has all up to now, with the snapshot taken at `since_ns` unless that is 0
};

struct Query {
  uint32_t version;  // kSnapshotVersion
  uint32_t kind;     // QueryKind
  int32_t pid;       // of the process it is about
  uint32_t reserved;
  uint64_t address;
  uint64_t since_ns;  // CLOCK_MONOTONIC
};

struct JoinMessage {
  uint32_t version;  // kVersion of the ledger that follows
  int32_t pid;
  int32_t parent_pid;
};

// `tenure attach` loads the library into a running program and calls these functions of it there: the first as
// AttachAnswer(AttachRequest*), the second without arguments and only while every other thread stands outside of ours.
inline constexpr char kAttachFunction[] = "tenure_attach", kDetachFunction[] = "tenure_detach";

struct AttachRequest {
  uint32_t version;  // kVersion
  char socket[100];  // as in kSocketVariable
  // Answered, from each thread's pointer: a byte that is 1 in a slow path of ours, and a word that is not 0 in a longer part,
  // as a snapshot.
  int64_t busy_at, part_at;
  uint64_t slots;  // answered: words that lead to us now
};

enum class AttachAnswer : int32_t {
  watches,
  other_version,  // a library of another Tenure was loaded before
  is_preloaded,   // it runs under `tenure run`, or did
  is_watched,     // another `tenure attach` is there
  other_heap,     // malloc is not glibc's
  is_locked_in,   // a sandbox
  cannot_join     // no ledger could be made, or nobody answers
};

}  // namespace tenure::ledger
