// analyze/findings/known_acts.cpp: what is looked for to know what to do. Made by tools/gen_acts.py from
// report/texts/acts.json: change that.
// clang-format off
#include "analyze/findings/known_acts.h"

namespace tenure::analyze {
namespace {

constexpr Kind kKinds_traceback[] = {Kind::retained_frame};
constexpr std::string_view kPath_traceback[] = {"*:traceback"};
constexpr Kind kKinds_frame[] = {Kind::retained_frame};
constexpr std::string_view kPath_frame[] = {"*:frame"};
constexpr std::string_view kPath_figures[] = {"Gcf.figs"};
constexpr std::string_view kPath_artists[] = {"*Axes*._children"};
constexpr std::string_view kPath_memory_handler[] = {"MemoryHandler.buffer|BufferingHandler.buffer"};
constexpr std::string_view kPath_logging_handlers[] = {"Logger.handlers|RootLogger.handlers"};
constexpr std::string_view kPath_logging_filters[] = {"Logger.filters|RootLogger.filters|*Handler.filters"};
constexpr std::string_view kPath_torch_hooks[] = {"*._forward_hooks|*._forward_pre_hooks|*._backward_hooks|*._backward_pre_hooks|*._state_dict_hooks"};
constexpr std::string_view kPath_signals[] = {"*Signal.receivers"};
constexpr std::string_view kPath_finalizers[] = {"finalize._registry"};
constexpr std::string_view kPath_atexit[] = {"exit*callback"};
constexpr std::string_view kPath_threads[] = {"threads"};
constexpr std::string_view kPath_sessions[] = {"Session._new|Session._deleted|*Session.identity_map|SessionTransaction._new"};
constexpr std::string_view kPath_exit_stack[] = {"*ExitStack._exit_callbacks"};
constexpr std::string_view kPath_done_callbacks[] = {"*:_asyncio.Future|*:_asyncio.Task"};
constexpr std::string_view kPath_futures[] = {"Future._result|*:_asyncio.Future|ApplyResult._value|MapResult._value"};
constexpr std::string_view kPath_queues[] = {"Queue.queue|LifoQueue.queue|PriorityQueue.queue|Queue._queue|LifoQueue._queue|PriorityQueue._queue|Queue._buffer|*:_queue.SimpleQueue"};
constexpr std::string_view kPath_cache_of_method[] = {"*:type", "*:functools._lru_cache_wrapper"};
constexpr std::string_view kPath_cache[] = {"*:functools._lru_cache_wrapper"};
constexpr std::string_view kPath_weak_keys[] = {"WeakKeyDictionary.data"};
constexpr std::string_view kPath_dataframe[] = {"DataFrame._mgr|Series._mgr"};
constexpr std::string_view kPath_bytearray[] = {"*:bytearray"};
constexpr std::string_view kPath_bytes[] = {"*:bytes"};
constexpr std::string_view kPath_text[] = {"*:str"};
constexpr std::string_view kPath_memory_file[] = {"*:_io.BytesIO|*:_io.StringIO"};
constexpr std::string_view kPath_tensor[] = {"*:Tensor|*:Parameter"};
constexpr std::string_view kPath_array[] = {"*:numpy.ndarray|*:array.array"};
constexpr std::string_view kPath_images[] = {"*:Image|*:*ImageFile"};
constexpr std::string_view kPath_elements[] = {"*:lxml.etree.*"};
constexpr std::string_view kPath_thread_locals[] = {"*:_thread._local"};
constexpr std::string_view kPath_context_variables[] = {"*:Context|*:_contextvars.Context|*:ContextVar|*:_contextvars.ContextVar|*:hamt*|*:Token|*:_contextvars.Token"};
constexpr Kind kKinds_callbacks[] = {Kind::retained_python, Kind::retained_view, Kind::cache_growth};
constexpr Kind kKinds_shared_pointers[] = {Kind::native_growth};
constexpr Kind kKinds_free_on_each_path[] = {Kind::native_growth};
constexpr Kind kKinds_deque[] = {Kind::retained_python};
constexpr Kind kKinds_set[] = {Kind::retained_python};
constexpr Kind kKinds_dict[] = {Kind::retained_python};

constexpr KnownAct kActs[] = {
    {"act.traceback", kKinds_traceback, kPath_traceback, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.frame", kKinds_frame, kPath_frame, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.figures", {}, kPath_figures, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.artists", {}, kPath_artists, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.memory_handler", {}, kPath_memory_handler, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.logging_handlers", {}, kPath_logging_handlers, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.logging_filters", {}, kPath_logging_filters, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.torch_hooks", {}, kPath_torch_hooks, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.signals", {}, kPath_signals, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.finalizers", {}, kPath_finalizers, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.atexit", {}, kPath_atexit, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.threads", {}, kPath_threads, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.sessions", {}, kPath_sessions, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.exit_stack", {}, kPath_exit_stack, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.tasks", {}, {}, "", "", "_asyncio.Task|asyncio.tasks.Task", "", "", ActGrowth::any, false, false},
    {"act.done_callbacks", {}, kPath_done_callbacks, "", "*:list|*:tuple", "method|function|functools.partial", "", "", ActGrowth::any, false, false},
    {"act.futures", {}, kPath_futures, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.queues", {}, kPath_queues, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.cache_of_method", {}, kPath_cache_of_method, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.cache", {}, kPath_cache, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.weak_keys", {}, kPath_weak_keys, "", "", "", "", "", ActGrowth::any, false, true},
    {"act.instances", {}, {}, "", "", "", "", "", ActGrowth::any, true, false},
    {"act.dataframe", {}, kPath_dataframe, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.bytearray", {}, kPath_bytearray, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.bytes", {}, kPath_bytes, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.text", {}, kPath_text, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.memory_file", {}, kPath_memory_file, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.tensor", {}, kPath_tensor, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.array", {}, kPath_array, "", "", "", "", "", ActGrowth::one_block, false, false},
    {"act.images", {}, kPath_images, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.images_of_library", {}, {}, "", "", "", "_imaging.*", "", ActGrowth::any, false, false},
    {"act.files", {}, {}, "", "", "_io.BufferedReader|_io.BufferedWriter|_io.BufferedRandom|_io.TextIOWrapper|_io.FileIO|socket.socket", "", "", ActGrowth::any, false, false},
    {"act.connections", {}, {}, "", "", "sqlite3.Connection", "", "", ActGrowth::any, false, false},
    {"act.mappings", {}, {}, "", "", "mmap.mmap", "", "", ActGrowth::any, false, false},
    {"act.elements", {}, kPath_elements, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.thread_locals", {}, kPath_thread_locals, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.context_variables", {}, kPath_context_variables, "", "", "", "", "", ActGrowth::any, false, false},
    {"act.generators", {}, {}, "*:generator", "", "", "", "", ActGrowth::any, false, false},
    {"act.coroutines", {}, {}, "*:coroutine|*:async_generator", "", "", "", "", ActGrowth::any, false, false},
    {"act.callbacks", kKinds_callbacks, {}, "", "", "method|function|functools.partial|builtin_function_or_method|weakref.WeakMethod", "", "", ActGrowth::any, false, false},
    {"act.shared_pointers", kKinds_shared_pointers, {}, "", "", "", "", "std::make_shared*|std::allocate_shared*|std::shared_ptr<*|std::__shared_ptr<*|std::__shared_count<*", ActGrowth::never_freed, false, false},
    {"act.free_on_each_path", kKinds_free_on_each_path, {}, "", "", "", "", "*", ActGrowth::partly_freed, false, false},
    {"act.limit", {}, {}, "", "", "", "", "", ActGrowth::bounded, false, false},
    {"act.deque", kKinds_deque, {}, "", "*:collections.deque", "", "", "", ActGrowth::any, false, false},
    {"act.set", kKinds_set, {}, "", "*:set", "", "", "", ActGrowth::any, false, false},
    {"act.dict", kKinds_dict, {}, "", "*:dict|*:collections.defaultdict|*:collections.OrderedDict|*:collections.Counter", "", "", "", ActGrowth::any, false, false},
};

}  // namespace

std::span<const KnownAct> known_acts() { return kActs; }

}  // namespace tenure::analyze
