// report/texts/acts.cpp: what to do about memory that is kept in a known way. Made by tools/gen_acts.py from
// report/texts/acts.json: change that.
// clang-format off
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"act.traceback", "store str(error) or traceback.format_exc(), not the exception: its traceback keeps every local; or let go of them with traceback.clear_frames(error.__traceback__)"},
    {"act.frame", "keep the name and the line of a frame (traceback.extract_stack()), not the frame itself"},
    {"act.figures", "close each figure when it was saved or shown: plt.close(fig)"},
    {"act.artists", "take each artist off when it is no longer shown: line.remove(); change its data (set_data()), or clear the axes before they are drawn anew: ax.cla()"},
    {"act.memory_handler", "give the handler a capacity that fits into memory, or write out what it keeps: handler.flush()"},
    {"act.logging_handlers", "add the handler once, or take it off again: logger.removeHandler(handler), then handler.close()"},
    {"act.logging_filters", "add the filter once, or take it off again: removeFilter(filter)"},
    {"act.torch_hooks", "remove the hook when it is no longer needed: handle.remove(), with the handle that register_..._hook() returned; or register it once, and refer to the model weakly in it"},
    {"act.signals", "disconnect the receiver when it is done: signal.disconnect(receiver); or connect it once"},
    {"act.finalizers", "give weakref.finalize() a function that does not refer to the object, no bound method of it: else the object lives as long as its finalizer; or take it back: finalizer.detach()"},
    {"act.atexit", "take the function back when it is no longer needed: atexit.unregister(function); or register one function that knows what is open"},
    {"act.threads", "end the loop of each thread when its work is done (threading.Event) and join() it, or let one thread do the work of all"},
    {"act.sessions", "let go of the objects after each batch: session.commit() and session.expunge_all(), or a new session for each batch that is closed: session.close()"},
    {"act.exit_stack", "an ExitStack keeps all that was entered until it is closed itself: give each round a `with` of its own, or close the stack after each batch (stack.pop_all().close())"},
    {"act.tasks", "take each task out when it is done: task.add_done_callback(tasks.discard); or await it and drop it"},
    {"act.done_callbacks", "a future keeps its callbacks until it is done: take each one back when its owner is (future.remove_done_callback(callback)), or give it one that refers to the owner weakly"},
    {"act.futures", "drop each future when its result was taken; keep only those that are still pending"},
    {"act.queues", "bound the queue with maxsize, so that put() waits for the consumer (queue.Queue(maxsize=n)), or consume faster"},
    {"act.cache_of_method", "give the cache a maxsize, or keep the result in the instance (functools.cached_property): an lru_cache on a method keeps every `self` it was called with"},
    {"act.cache", "give the cache a maxsize, or call cache_clear() when its results are no longer needed"},
    {"act.weak_keys", "keep values that do not refer to their own key (plain numbers, NumPy arrays), or delete the entry: such a value keeps its key, and the entry with it, for good"},
    {"act.instances", "keep the instances in a weakref.WeakSet or WeakValueDictionary, or take each one out when it is done"},
    {"act.dataframe", "collect the pieces in a list and call pd.concat() once, or bound it to the last rows: df.tail(n)"},
    {"act.bytearray", "take off what was used: del buffer[:n]; or write it out and clear() it"},
    {"act.bytes", "drop what was used, or keep the pieces in a list and join them once: b\"\".join(pieces)"},
    {"act.text", "drop what was used, or keep the pieces in a list and join them once: \"\".join(pieces)"},
    {"act.memory_file", "write it out and begin a new one, or empty it when its content was used: seek(0), then truncate()"},
    {"act.tensor", "keep the pieces in a list and call torch.cat() once, or bound what is kept"},
    {"act.array", "keep the pieces in a list and join them once (np.concatenate), write into an array that is made large enough before, or bound what is kept"},
    {"act.images", "close each image when it was used: `with Image.open(...) as image`; keep only the thumbnail, or a copy of the part"},
    {"act.images_of_library", "close each image when it was used: `with Image.open(...) as image`; keep only the thumbnail, or a copy of the part"},
    {"act.files", "close each of them when it was used: `with open(...) as file`; and do not keep it"},
    {"act.connections", "close each connection when its work is done: connection.close() (`with connection` alone only commits); and do not keep it"},
    {"act.mappings", "close each mapping when it was used: mapping.close(), or `with mmap.mmap(...) as mapping`; and do not keep it"},
    {"act.elements", "clear each element when it was used: element.clear(), then delete it from its parent: del element.getparent()[0]"},
    {"act.thread_locals", "a thread-local value stays as long as its thread: delete it when the task is done, end the thread or use a pool of threads, or bound what is kept in it"},
    {"act.context_variables", "set the variable back when the task is done: variable.reset(token); and do not keep the context or the token"},
    {"act.generators", "close() each generator when no more is wanted of it, or run it to its end, and drop it"},
    {"act.coroutines", "await each coroutine or close() it (aclose() of an asynchronous generator), and drop it"},
    {"act.callbacks", "take the callback out again when its owner is done (unsubscribe), register it once, or keep it weakly: weakref.WeakMethod"},
    {"act.shared_pointers", "look for a cycle of std::shared_ptr: objects that own each other are never freed; make the reference back a std::weak_ptr"},
    {"act.free_on_each_path", "free these too: others that are made here are freed, so one path does not (an early return, an error); or bound what keeps them"},
    {"act.limit", "lower its limit (maxlen, maxsize) to what fits into memory, or keep less of each item"},
    {"act.deque", "bound it: deque(maxlen=n); or take off what was used: popleft()"},
    {"act.set", "take out what is no longer needed (discard), let old entries expire, or bound it"},
    {"act.dict", "remove entries that are no longer needed (pop), let old ones expire, or bound it: keep only what is needed later"},
};

}  // namespace

SentenceTexts act_texts() { return kTexts; }

}  // namespace tenure::report
