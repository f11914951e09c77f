// base/vocabulary.h: the closed sets of words that programs compare, one enum each, and their codes as ledgers and JSON
// have them. Made by tools/gen_vocabulary.py from base/vocabulary.json: change that.
// World: both, and the C++ library. Pure.
// clang-format off
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure {
namespace vocabulary {

// The value whose code this is; nothing for a word that is not of the set.
template <class Value, std::size_t kCount>
constexpr std::optional<Value> find(const char* const (&codes)[kCount], std::string_view code) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (code == codes[i]) return static_cast<Value>(i);
  }
  return std::nullopt;
}

// Empty for a number that no value has: it may come from a damaged file.
template <std::size_t kCount>
constexpr const char* code(const char* const (&codes)[kCount], std::size_t value) noexcept {
  return value < kCount ? codes[value] : "";
}

}  // namespace vocabulary

// What a finding is. Growth first, then lifetime errors, then death.
enum class Kind : std::uint8_t {
  graph_growth,  // ops are added to a graph in a loop
  session_unclosed,  // sessions pile up that nobody closes
  retracing,  // traces of a tf.function or jax.jit pile up
  retained_python,  // tensors pile up in a container, attribute, global, closure or cache
  retained_autograd,  // a kept tensor keeps its gradient graph or tape
  retained_frame,  // a stored exception or frame keeps locals
  retained_view,  // a small view keeps a big base
  retained_cycle,  // held only by a reference cycle
  model_rebuilt,  // models are made again while a registry keeps the old
  cache_growth,  // a cache of a framework or of native code
  native_growth,  // native memory without a Python holder
  allocator_retention,  // resident memory is high, live memory is not: a note
  copy_on_write,  // forked workers copy pages they share
  shared_memory,  // segments or descriptors of shared memory
  closed_session,
  other_graph,
  out_of_scope,
  variable_deleted,
  variable_uninitialized,
  queue_closed,
  detached_buffer,
  closed_file,
  deleted_array,
  leaked_tracer,
  freed_graph,
  inplace_modified,
  use_after_free,
  double_free,
  out_of_bounds,
  out_of_memory,
};
inline constexpr std::size_t kKindCount = 30;
inline constexpr const char* kKindCodes[] = {
    "graph-growth",
    "session-unclosed",
    "retracing",
    "retained-python",
    "retained-autograd",
    "retained-frame",
    "retained-view",
    "retained-cycle",
    "model-rebuilt",
    "cache-growth",
    "native-growth",
    "allocator-retention",
    "copy-on-write",
    "shared-memory",
    "closed-session",
    "other-graph",
    "out-of-scope",
    "variable-deleted",
    "variable-uninitialized",
    "queue-closed",
    "detached-buffer",
    "closed-file",
    "deleted-array",
    "leaked-tracer",
    "freed-graph",
    "inplace-modified",
    "use-after-free",
    "double-free",
    "out-of-bounds",
    "out-of-memory",
};
constexpr const char* code(Kind value) noexcept {
  return vocabulary::code(kKindCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<Kind> kind_from(std::string_view code) noexcept {
  return vocabulary::find<Kind>(kKindCodes, code);
}

enum class KindGroup : std::uint8_t { growth, lifetime, death };
constexpr KindGroup group_of(Kind value) noexcept {
  if (static_cast<std::size_t>(value) < 14) return KindGroup::growth;
  if (static_cast<std::size_t>(value) < 29) return KindGroup::lifetime;
  return KindGroup::death;
}

// Why a line is named in a finding.
enum class PlaceRole : std::uint8_t {
  made_at,
  kept_at,
  released_at,
  created,
  ended,
  used,
};
inline constexpr std::size_t kPlaceRoleCount = 6;
inline constexpr const char* kPlaceRoleCodes[] = {
    "made at",
    "kept at",
    "released at",
    "created",
    "ended",
    "used",
};
constexpr const char* code(PlaceRole value) noexcept {
  return vocabulary::code(kPlaceRoleCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<PlaceRole> place_role_from(std::string_view code) noexcept {
  return vocabulary::find<PlaceRole>(kPlaceRoleCodes, code);
}

// How much a finding matters. Error and leak decide the verdict; warning and note never change it, nor does what the user accepted.
enum class Severity : std::uint8_t {
  error,
  leak,
  warning,
  note,
  accepted,
};
inline constexpr std::size_t kSeverityCount = 5;
inline constexpr const char* kSeverityCodes[] = {
    "error",
    "leak",
    "warning",
    "note",
    "accepted",
};
constexpr const char* code(Severity value) noexcept {
  return vocabulary::code(kSeverityCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<Severity> severity_from(std::string_view code) noexcept {
  return vocabulary::find<Severity>(kSeverityCodes, code);
}

// What is said of the whole run.
enum class Verdict : std::uint8_t {
  leak,
  lifetime_error,
  out_of_memory,
  clean,
  unknown,
};
inline constexpr std::size_t kVerdictCount = 5;
inline constexpr const char* kVerdictCodes[] = {
    "leak",
    "lifetime-error",
    "out-of-memory",
    "clean",
    "unknown",
};
constexpr const char* code(Verdict value) noexcept {
  return vocabulary::code(kVerdictCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<Verdict> verdict_from(std::string_view code) noexcept {
  return vocabulary::find<Verdict>(kVerdictCodes, code);
}

// What a line that makes memory comes to. findings/severity.h says how loud each is told.
enum class GrowthClass : std::uint8_t {
  leak,  // every condition is met
  growing_block,  // one block that is replaced by ever bigger ones: a leak
  accumulates,  // as a leak, but the program gave it back while it went on
  waiting,  // the collector will find it, and little of it waits
  compiled_code,  // what a library made while it generated code, again and again
  suspected,  // one condition is missed
  too_short,  // grows, but over too few steps to tell
  bounded,  // its holder has a limit, which it has not reached
  filling,  // ever more slowly, as a cache
  stayed,  // grew, and then the program went on without adding to it, as after loading
  dismissed,  // no growth
};
inline constexpr std::size_t kGrowthClassCount = 11;
inline constexpr const char* kGrowthClassCodes[] = {
    "leak",
    "growing-block",
    "accumulates",
    "waiting",
    "compiled-code",
    "suspected",
    "too-short",
    "bounded",
    "filling",
    "stayed",
    "dismissed",
};
constexpr const char* code(GrowthClass value) noexcept {
  return vocabulary::code(kGrowthClassCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<GrowthClass> growth_class_from(std::string_view code) noexcept {
  return vocabulary::find<GrowthClass>(kGrowthClassCodes, code);
}

// The rule that decided about a line, in the order in which they are asked.
enum class Rule : std::uint8_t {
  too_little,  // less than is worth a word
  gone,  // nothing of it is left, or what is left does not rise
  few_late_steps,  // too few steps of the later half of the run added to it
  too_few_steps,  // too few steps at all
  bursts,  // made in a few bursts, not step by step
  nothing_added,  // a third of the run or more came after its last addition
  given_back,  // the program gave it back while it went on
  slows_down,  // ever more slowly, as a cache does that fills up
  only_newest,  // older ones were released
  released_before,  // it held a good part of this before, and released it again
  of_library,  // a library makes it in its own threads, beside a line that leaks
  small_objects,  // small Python objects, whose lines are not known
  few_samples,  // so few samples that they are where they are by chance
  below_exit,  // made below exit(): it goes with the program
  bounded_holder,  // by a maxlen or maxsize that holds
  garbage,  // only the collector has to come
  generated_code,  // a library compiles there
  one_block_grows,  // replaced by a bigger one again and again
  survivors,  // survivors from all along the later half, at a steady pace
  one_expression,  // items of one comprehension, which the program went on with when it was whole
  leaks_elsewhere,  // too few steps here, and the same line leaks in another process
};
inline constexpr std::size_t kRuleCount = 21;
inline constexpr const char* kRuleCodes[] = {
    "too-little",
    "gone",
    "few-late-steps",
    "too-few-steps",
    "bursts",
    "nothing-added",
    "given-back",
    "slows-down",
    "only-newest",
    "released-before",
    "of-library",
    "small-objects",
    "few-samples",
    "below-exit",
    "bounded-holder",
    "garbage",
    "generated-code",
    "one-block-grows",
    "survivors",
    "one-expression",
    "leaks-elsewhere",
};
constexpr const char* code(Rule value) noexcept {
  return vocabulary::code(kRuleCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<Rule> rule_from(std::string_view code) noexcept {
  return vocabulary::find<Rule>(kRuleCodes, code);
}

// What has a beginning and an end and owns tensors, or forbids their use when it ends.
enum class ScopeType : std::uint8_t {
  session,
  graph,
  request,  // of the C++ library
  step,  // of the C++ library
  function,  // traced by a framework
  wait,  // a run that needs an element of a queue
};
inline constexpr std::size_t kScopeTypeCount = 6;
inline constexpr const char* kScopeTypeCodes[] = {
    "session",
    "graph",
    "request",
    "step",
    "function",
    "wait",
};
constexpr const char* code(ScopeType value) noexcept {
  return vocabulary::code(kScopeTypeCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<ScopeType> scope_type_from(std::string_view code) noexcept {
  return vocabulary::find<ScopeType>(kScopeTypeCodes, code);
}

// How far a scope has come.
enum class ScopeState : std::uint8_t {
  open,  // as it was born: nobody has said anything else
  closed,  // by the program
  deleted,  // nobody holds it any more
  waiting,  // a wait: for an element
  served,  // a wait: it got one
  gave_up,  // a wait: it failed
};
inline constexpr std::size_t kScopeStateCount = 6;
inline constexpr const char* kScopeStateCodes[] = {
    "open",
    "closed",
    "deleted",
    "waiting",
    "served",
    "gave up",
};
constexpr const char* code(ScopeState value) noexcept {
  return vocabulary::code(kScopeStateCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<ScopeState> scope_state_from(std::string_view code) noexcept {
  return vocabulary::find<ScopeState>(kScopeStateCodes, code);
}

// What a line is to a cause of growth that an adapter saw.
enum class CauseRank : std::uint8_t {
  responsible,  // a line to look at
  affected,  // a line that only suffers
  responsible_with_callees,  // a line to look at; what its callees make counts too
  affected_with_callees,  // a line that only suffers; what its callees make counts too
  responsible_for_good,  // a line to look at, of a holder that releases nothing while it lives
  released,  // what had piled up was released here
};
inline constexpr std::size_t kCauseRankCount = 6;
inline constexpr const char* kCauseRankCodes[] = {
    "responsible",
    "affected",
    "responsible-with-callees",
    "affected-with-callees",
    "responsible-for-good",
    "released",
};
constexpr const char* code(CauseRank value) noexcept {
  return vocabulary::code(kCauseRankCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<CauseRank> cause_rank_from(std::string_view code) noexcept {
  return vocabulary::find<CauseRank>(kCauseRankCodes, code);
}

// What was not seen. Each is a counter in the ledger's header, in this order, and a sentence in the report.
enum class Loss : std::uint8_t {
  table_full,  // something new was counted under "other" because its table was full
  untracked_birth,  // a block of tracked size went by: inside a signal handler, or no memory for its entry
  stack_truncated,  // deeper than we read
  process_not_joined,  // a child could not reach the supervisor
  unmatched_end,  // a block ended that the accounting did not know, although big enough
  page_refused,  // the kernel refused a page of the ledger
  fork_unseen,  // noticed late that this is a forked child
  site_coarsened,  // a new stack was counted under the user's line: too many were known
};
inline constexpr std::size_t kLossCount = 8;
inline constexpr const char* kLossCodes[] = {
    "table_full",
    "untracked_births",
    "truncated_stacks",
    "processes_not_joined",
    "unmatched_ends",
    "refused_pages",
    "forks_unseen",
    "coarse_sites",
};
constexpr const char* code(Loss value) noexcept {
  return vocabulary::code(kLossCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<Loss> loss_from(std::string_view code) noexcept {
  return vocabulary::find<Loss>(kLossCodes, code);
}

// What was not seen and is counted nowhere; parts that are off have the name of their fact instead.
enum class OtherLoss : std::uint8_t {
  sampling,  // small blocks are estimated
  guard_python,  // small Python objects are not guarded
  heap,  // the program brings its own malloc
  device,  // memory of a device
  memory,  // resident memory that is in no block we know
  symbols,  // names of native code could not be found
  recording,  // the record could not be written whole
  attached,  // what was made before `tenure attach` came
  unreadable,  // a part of the record could not be read
  source,  // lines are shown without their text
  code,  // code of the program found no room in a snapshot
};
inline constexpr std::size_t kOtherLossCount = 11;
inline constexpr const char* kOtherLossCodes[] = {
    "sampling",
    "guard.python",
    "heap",
    "device",
    "memory",
    "symbols",
    "recording",
    "attached",
    "unreadable",
    "source",
    "code",
};
constexpr const char* code(OtherLoss value) noexcept {
  return vocabulary::code(kOtherLossCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<OtherLoss> other_loss_from(std::string_view code) noexcept {
  return vocabulary::find<OtherLoss>(kOtherLossCodes, code);
}

// What a tracked block is. Ledgers keep the number; the code is its name in tables.
enum class BlockKind : std::uint8_t {
  heap,  // malloc and its family, all blocks from exact_threshold up
  small_heap,  // the same below it, sampled and weighted
  anonymous_map,  // mmap without a file
  file_map,  // pages of a file: not counted as live memory
  shared_map,  // shared memory as mapped here
  shared_segment,  // a named shared-memory segment: lives until it is unlinked
  object_arena,  // Python's arenas of small objects
  pool_region,  // what an allocator of a framework cuts into blocks: those count, not the region
  code_map,  // mmap without a file, made executable: code that a library generates
};
inline constexpr std::size_t kBlockKindCount = 9;
inline constexpr const char* kBlockKindCodes[] = {
    "heap",
    "small heap",
    "mapping",
    "file",
    "shared",
    "segment",
    "objects",
    "pool",
    "code",
};
constexpr const char* code(BlockKind value) noexcept {
  return vocabulary::code(kBlockKindCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<BlockKind> block_kind_from(std::string_view code) noexcept {
  return vocabulary::find<BlockKind>(kBlockKindCodes, code);
}

// What memory is to a model. The ledger keeps the number of those that adapters tell: unknown to buffer.
enum class ModelRole : std::uint8_t {
  unknown,
  parameter,
  gradient,
  optimizer_state,
  buffer,
  passing_gradient,  // of a tensor between two nodes of the gradient graph
  activation,  // made while a module was called
};
inline constexpr std::size_t kModelRoleCount = 7;
inline constexpr const char* kModelRoleCodes[] = {
    "",
    "parameter",
    "gradient",
    "optimizer state",
    "buffer",
    "passing gradient",
    "activation",
};
constexpr const char* code(ModelRole value) noexcept {
  return vocabulary::code(kModelRoleCodes, static_cast<std::size_t>(value));
}
constexpr std::optional<ModelRole> model_role_from(std::string_view code) noexcept {
  return vocabulary::find<ModelRole>(kModelRoleCodes, code);
}

}  // namespace tenure
