// ledger/layout.h: the ledger's memory and file layout: a header, a directory, and tables of fixed records.
// World: both. The traced process writes it in shared memory; the supervisor and every reader only read.
// docs/ledger-format.md is the contract; a change here changes kVersion and that page.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "base/vocabulary.h"

namespace tenure::ledger {

inline constexpr char kMagic[8] = {'T', 'E', 'N', 'U', 'R', 'E', 'L', 'G'};
inline constexpr uint32_t kVersion = 7;
#if defined(__x86_64__)
inline constexpr uint32_t kArchitecture = 62;  // ELF e_machine of the writer
#elif defined(__aarch64__)
inline constexpr uint32_t kArchitecture = 183;
#endif

inline constexpr uint64_t kCacheLine = 64;

enum class TableId : uint32_t {
  strings,          // bytes; a StringId is an offset, each string is {u32 length, bytes}
  codes,            // Python code objects by content
  modules,          // loaded ELF objects
  frames,           // one place in one code object or module
  stacks,           // a frame and the stack outside it
  sites,            // stack + kind: the counters
  series,           // loops and named steps: tick -> count
  timeline,         // live bytes over ticks
  events,           // failed allocations, uncaught errors, interruptions
  facts,            // key and value: versions, results of self-tests
  scopes,           // sessions, graphs, functions, queues, streams: born, ended, how full
  lifetime_errors,  // and the lines they lead back to
  causes,           // what adapters saw happen that makes memory grow
  kCount
};
inline constexpr uint32_t kTableCount = static_cast<uint32_t>(TableId::kCount);

struct TableInfo {
  uint64_t offset;        // from the start of the ledger
  uint32_t record_bytes;  // 1 for strings
  uint32_t capacity;      // in records
  std::atomic<uint32_t>
      used;  // records ready to be read; record 0 is "none". Release; readers acquire
  std::atomic<uint32_t> populated;  // records whose pages exist; never touched beyond
};

using tenure::kLossCount;
using tenure::Loss;  // a counter in the header each, and a sentence in the report

enum class ProcessState : uint32_t {
  running,
  exiting,  // the interpreter takes everything apart
  exited,
  replaced_by_exec
};

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t architecture;
  uint64_t reserved_bytes;  // address space of the whole ledger
  TableInfo tables[kTableCount];

  int32_t pid;
  int32_t parent_pid;
  uint64_t started_ns;  // CLOCK_REALTIME
  uint64_t started_mono_ns;
  std::atomic<uint32_t> state;  // ProcessState
  uint32_t exact_threshold;     // blocks of at least so many bytes are all counted
  uint32_t sample_mean;         // below: one sample per so many bytes, on average
  uint32_t exit_status_known;   // set with exit_status when exit() was seen
  std::atomic<int32_t> exit_status;
  StringId executable;
  StringId arguments;  // separated by NUL
  uint32_t padding_before[14];

  // Written by every birth, and nothing else on their cache line is. Totals and block counts are sums over the sites.
  std::atomic<uint64_t> tick;        // births of tracked blocks
  std::atomic<uint64_t> live_bytes;  // exact blocks
  std::atomic<uint64_t> peak_bytes;
  std::atomic<uint64_t> peak_tick;
  std::atomic<uint32_t>
      peak_epoch;  // raised at each new peak; sites save their at-peak values lazily
  // The one word that a supervisor writes: raised for each snapshot it asks for. Read by every birth, so it is here.
  std::atomic<uint32_t> snapshots_wanted;
  std::atomic<uint64_t> small_bytes;  // sampled blocks, weighted
  uint32_t padding[4];

  std::atomic<uint64_t> own_bytes;  // memory of Tenure that is resident in the process
  std::atomic<uint64_t>
      heap_taken;  // what malloc has from the system, and what of it is free: last measured at
  std::atomic<uint64_t> heap_free;  // heap_tick
  std::atomic<uint64_t> heap_tick;
  std::atomic<uint64_t> ended_mono_ns;  // when exit was reached; 0: it was not
  std::atomic<uint64_t> ended_cpu_ns;   // processor time of the process then; 0: not measured
  // Resident pages of files and of shared memory: the most at the end, and before big mappings of them ended.
  std::atomic<uint64_t> most_file_bytes;  // 0: not measured
  // Beside the timeline, whose entries come to lie far apart: one of the last births, and when it was.
  std::atomic<uint64_t> last_look_tick;
  std::atomic<uint64_t> last_look_mono_ns;
  std::atomic<uint64_t> last_look_cpu_ns;
  // Processor time that Tenure took in this process, and in copies of it.
  std::atomic<uint64_t> hook_ns;        // in hooks, scaled up from samples
  std::atomic<uint64_t> adapter_ns;     // metered whole: start, adapters, pauses, rare paths
  std::atomic<uint64_t> copy_ns;        // of copies that walked the heap; written by them
  std::atomic<uint64_t> copy_bytes;     // most that such a copy had of its own; written by them
  std::atomic<uint64_t> adapter_bytes;  // what the adapters made resident
  std::atomic<uint64_t> losses[kLossCount];
};

enum class CodeOrigin : uint32_t { unknown, users, import_machinery, library };

struct Code {
  StringId file;
  StringId name;  // qualified where Python knows it
  int32_t first_line;
  uint32_t origin;  // a CodeOrigin: asked at every frame of a stack, so it is found out once
};

struct Module {
  StringId path;  // empty for the program itself
  uint32_t build_id_size;
  uint8_t build_id[24];
  uint64_t base;
};

enum class FrameKind : uint32_t { python, native, named };

struct Frame {
  uint32_t kind;      // FrameKind
  uint32_t owner;     // CodeId, or ModuleId for native frames
  uint32_t line;      // Python and named frames; native lines are found offline
  int32_t lasti;      // byte offset of the instruction in the code object
  uint64_t address;   // native: return address - load base
  uint64_t function;  // native: start of the function - load base, 0 if unknown
};

struct Stack {
  StackId outer;  // 0: this is the outermost frame
  FrameId frame;
  uint32_t depth;
};

using tenure::BlockKind;

// What the blocks of a site are to a model, as an adapter saw of one of them.
using Role = tenure::ModelRole;

inline constexpr uint32_t kBuckets = 32;

// Births of a site, cut into kBuckets equal runs of ordinals.
struct Bucket {
  uint64_t live_bytes;
  uint64_t born_bytes;
  uint64_t
      high_bytes;   // most the whole site held while these were born; of samples: with Site::exact
  Tick first_tick;  // birth that opened the bucket
  uint32_t live_count;
  uint32_t span;  // ticks from the first birth in it to the last, at most 2^32 - 1
};

// The survivors as they were when the site held most.
struct FrozenBuckets {
  uint64_t bytes;   // live bytes of the site at that moment
  uint64_t births;  // ordinals given until then
  Tick tick;
  uint32_t count;
  uint32_t shift;  // ordinal >> shift = bucket
  uint64_t live_bytes[kBuckets];
  uint32_t live_count[kBuckets];
};

// Where a site lost what it had piled up: the end that took it below a share of the most it had held.
struct Release {
  StackId stack;  // 0: it never fell so low
  uint32_t reserved;
  Tick tick;
  uint64_t most;    // it had held until then
  uint64_t cpu_ns;  // as in the timeline
};

// What every birth writes lies in the first two cache lines and one bucket.
struct Site {
  StackId stack;
  StringId op;     // 0, or the node of a gradient graph whose backward made it
  ModuleId asker;  // the library that called malloc or mmap, at the first birth
  uint8_t kind;    // BlockKind
  uint8_t device;  // 0: cpu
  std::atomic<uint8_t> lock;
  uint8_t role;    // Role
  uint32_t shift;  // ordinal >> shift = bucket
  StackId
      forward;  // op is a node of a gradient graph: where that was made; part of what tells sites apart
  uint64_t births;
  uint64_t total_bytes;  // weighted for sampled kinds, as all bytes and counts below
  uint64_t live_bytes;
  uint64_t live_count;
  uint64_t total_count;
  uint64_t at_peak_bytes;  // valid if at_peak_epoch == header.peak_epoch; else the live value is it
  uint64_t at_peak_count;
  uint32_t at_peak_epoch;
  uint32_t resizes;         // births that continued an older block (realloc)
  uint64_t max_live_bytes;  // most ever live at once
  SiteId exact;  // of sampled blocks: the site of the same stack whose blocks are counted; 0: none
  uint32_t emptied;  // ends that left it without a block; a resize ends a block, too
  uint64_t largest;  // biggest single block
  Tick last_tick;
  Tick last_end_tick;  // global tick when a block of this site last ended
  Tick first_tick;
  double total_variance;  // of total_bytes, for sampled kinds
  double live_variance;
  Bucket buckets[kBuckets];
  FrozenBuckets frozen;
  FrameId entered;  // native: where the library was entered for the first birth; 0: not looked for
  uint8_t is_tensor;   // storages that torch made, not what its kernels need meanwhile
  uint8_t is_ignored;  // made while the program asked not to be told of it: tenure.ignore()
  uint8_t padding[2];
  Release fell;    // below 7/8 of the most; looked for again only when there is a quarter more
  Release halved;  // below 1/2
};

enum class SeriesKind : uint32_t {
  python_loop,   // a loop of a Python function came round
  python_rerun,  // a Python function ran again, called from no loop that can be seen (a callback)
  native_move,   // a native return address went backwards, or came again
  named,         // somebody counted steps by name
  cause,         // a Cause occurred
};

inline constexpr uint32_t kMarks = 64;
inline constexpr uint64_t kSettledRounds = 8;  // caches and workspaces are there
inline constexpr uint64_t kLevelBytes = 64 << 10;
// `start` of a named series that a framework counts by itself; 0 is one that somebody asked for by name.
inline constexpr uint64_t kFrameworksStep = 1;

struct Series {
  uint32_t kind;   // SeriesKind
  StackId prefix;  // stack outside the frame with the loop
  uint32_t
      owner;  // CodeId of a Python loop or function, ModuleId of a native move, StringId of a named series
  uint32_t line;   // Python: line of the loop's head
  uint64_t start;  // loop range in the code; native: to and from address - base
  uint64_t end;
  uint64_t function;  // native: start of the function - base
  std::atomic<uint64_t>
      count;         // times the loop came round, or steps; the next three are part of it
  uint64_t counted;  // rounds its iterator or its variables told: the first of each entry included
  uint64_t repeats;  // the very same stack asked for the same size again
  uint64_t
      loose_repeats;  // the very same stack asked for another size. One instruction may make several blocks,
                      // so repeats count rounds only where little else tells (see analyze/units)
  uint64_t quiet_moves;  // moves backwards with no repeat since the one before
  Tick first_tick;
  Tick last_tick;
  uint32_t stride;  // at least so many counts between two marks
  uint32_t marks_used;
  std::atomic<uint8_t> lock;
  uint8_t has_repeated;  // since the last move backwards
  uint8_t is_users;      // a loop of Python code that is no package's
  uint8_t told_growth;   // bits of the growth that was last worth a look; see `level`
  uint32_t
      level;  // such a loop: least live memory at its rounds 8, 16, 32..., in pieces of kLevelBytes
  struct Mark {
    Tick tick;
    uint64_t count;
  } marks[kMarks];
};

inline constexpr uint32_t kTimelineEntries = 1024;

struct TimelineEntry {
  Tick tick;
  uint64_t mono_ns;
  uint64_t live_bytes;
  uint64_t cpu_ns;  // processor time of the process so far; 0: not measured, as in a sandbox
};

enum class EventKind : uint32_t {
  failed_allocation,
  uncaught_error,
  interrupted,
  joined_late,
  teardown,  // the interpreter begins to take everything apart: the program's own work is over
  pause,     // a snapshot kept the program waiting for `value` ns until now
};

struct Event {
  uint32_t kind;  // EventKind
  StringId what;  // type of the error
  StringId text;
  StackId stack;
  uint64_t value;  // bytes asked for; of a pause: processor time, in nanoseconds
  Tick tick;
  uint64_t mono_ns;
  uint64_t cpu_ns;  // as in the timeline
};

struct Fact {
  StringId key;
  StringId value;
};

// Something with a beginning and an end that owns tensors or whose end forbids their use.
struct Scope {
  StringId kind;  // code of a ScopeType
  StringId name;
  StringId state;  // code of a ScopeState, or a sentence with that code; 0: as it was born
  StackId born;
  StackId ended;  // where the state last changed
  uint32_t reserved;
  Tick born_tick;
  Tick ended_tick;
  uint64_t items;  // ops of a graph, traces of a function
  uint64_t bytes;
};

inline constexpr uint32_t kPlaces = 6;

// A lifetime error, or a warning of one, as the adapter that saw it tells of it.
struct LifetimeError {
  StringId kind;      // code of a Kind
  StringId severity;  // code of a Severity: error, warning or note
  StringId title;     // this one, why, fix and holder are sentences: base/sentence.h
  StringId why;
  StringId fix;
  StringId error_type;
  StringId error_message;
  StringId holder;
  uint32_t place_count;
  struct Place {
    StringId role;  // code of a PlaceRole
    StackId stack;
  } places[kPlaces];
  uint32_t reserved;
  uint64_t count;  // how often the same happened
  Tick tick;       // when first
};

// Something that makes memory grow where it recurs: an op added to a graph, a retrace, a session made.
struct Cause {
  StringId kind;
  StringId holder;
  StringId why;
  StringId fix;
  StackId stack;    // of the first time
  SeriesId series;  // when it occurred
};

// Address space of each table; pages appear as they are used.
inline constexpr uint32_t kCapacity[kTableCount] = {
    4u << 20,   // strings (bytes)
    48 << 10,   // codes
    2 << 10,    // modules
    160 << 10,  // frames
    384 << 10,  // stacks
    16 << 10,   // sites
    4 << 10,    // series
    kTimelineEntries,
    512,      // events
    512,      // facts
    4 << 10,  // scopes
    256,      // lifetime_errors
    512,      // causes
};
inline constexpr uint32_t kRecordBytes[kTableCount] = {1,
                                                       sizeof(Code),
                                                       sizeof(Module),
                                                       sizeof(Frame),
                                                       sizeof(Stack),
                                                       sizeof(Site),
                                                       sizeof(Series),
                                                       sizeof(TimelineEntry),
                                                       sizeof(Event),
                                                       sizeof(Fact),
                                                       sizeof(Scope),
                                                       sizeof(LifetimeError),
                                                       sizeof(Cause)};

// In memory tables begin at multiples of a cache line; in a file only at multiples of 8, so no type is over-aligned.
static_assert(offsetof(Header, tick) % kCacheLine == 0 &&
              offsetof(Header, own_bytes) % kCacheLine == 0);
static_assert(sizeof(Site) % kCacheLine == 0 && sizeof(Series) % 8 == 0);
static_assert(sizeof(Bucket) == 40 && sizeof(Frame) == 32 && sizeof(Stack) == 12);

}  // namespace tenure::ledger
