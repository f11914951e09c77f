// report/texts/holders.cpp: what analyze says of who holds memory: by which name, why that keeps it, what to do.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

// Who holds something is told in one row.
constexpr size_t kMostBytes = 160;

constexpr SentenceText kTexts[] = {
    {"holder.fitted", "{text}", kMostBytes},
    {"holder.place", "{name}{extent}{held?}", kMostBytes},
    {"holder.nameless", "{type}{extent}{held}"},
    {"holder.globals", "globals of {of}"},
    {"holder.locals", "locals of {of}"},
    {"holder.view", "views in {place}"},
    {"holder.gradients", "gradient graph (grad_fn) of {place}"},

    {"holder.noun", "{type} "},
    {"holder.of", " of `{name}`"},
    {"holder.global", "global {noun}`{name}` of {module}"},
    {"holder.output", "{noun}Out[{number}]{items} of {notebook}"},
    {"holder.output_too", "global {noun}`{name}{items}` and Out[{number}] of {notebook}"},
    {"holder.outputs", "Out of {notebook}"},
    {"holder.last_error", "the traceback of the last error"},
    {"holder.notebook", "the notebook"},
    {"holder.session", "the IPython session"},
    {"holder.class_attribute", "class attribute `{name}` of `{owner}`"},
    {"holder.attribute", "attribute `{name}` of `{owner}`"},
    {"holder.attribute_of_many", "attribute `{name}` of {count} `{owner}`"},
    {"holder.local", "local {noun}`{name}` of {owner}"},
    {"holder.exit_callbacks", "callbacks registered with atexit"},
    {"holder.context_variable", "context variable `{name}`"},
    {"holder.function", "function `{name}`"},
    {"holder.local_of_threads", "local `{name}` of {owner} in {count} threads"},
    {"holder.default", "default argument of {owner}()"},
    {"holder.a_default", "a default argument of {owner}()"},
    {"holder.closure", "closure of `{owner}`"},
    {"holder.closure_variable", "`{name}` in the closure of `{owner}`"},
    {"holder.thread_local", "thread-local {noun}`{name}`{of}"},
    {"holder.cache", "lru_cache of `{function}`"},
    {"a-class", "a class"},

    {"count.at_least", "at least {count}"},
    {"holder.entries", " ({count} entries)"},
    {"holder.items", " ({count} items)"},
    {"holder.typed_items", " ({type}, {count} items)"},
    {"holder.items_of_type", " ({count} {item})"},
    {"holder.typed_items_of_type", " ({type} of {count} {item})"},
    {"holder.several", "{type}s"},

    {"holder.held_by", ", held by {by}"},
    {"holder.held_by_and_alike", ", held by {by} and the like"},
    {"holder.native_code", "native code"},
    {"holder.garbage", "cyclic garbage"},
    {"holder.and_more", "{names} and {count} more"},
    {"holder.at_once", "held by {names} at once"},

    {"holder.frame", "{what}{in}{held}"},
    {"holder.local_of_frame", "{what}{in}{local}{held?}", kMostBytes},
    {"holder.traceback", "traceback{of}"},
    {"holder.tracebacks", "tracebacks{of}"},
    {"holder.python_frame", "frame{of}"},
    {"holder.python_frames", "frames{of}"},
    {"holder.of_stored", " of the stored {type}"},
    {"holder.of_stored_many", " of the stored {type}s"},
    {"holder.in", " in {name}"},
    {"holder.stored_in", " stored in {name}"},
    {"holder.frame_local", ", local `{name}` of {owner}"},

    {"holder.native", "native code, no Python object refers to it"},
    {"holder.native_objects", "native code holds {count} {type}; no Python name leads there"},
    {"holder.unknown_cycle", "cyclic garbage, waits for gc"},
    {"holder.cycle", "cyclic garbage ({cycle}), waits for gc"},
    {"holder.cycle_of_array", "cycle ({cycle}) through an array, which gc cannot see"},
    {"holder.cycle_of_gradients",
     "cycle through the gradient graph ({cycle}: grad_fn), which gc cannot see"},

    {"held.frame.why", "a stored traceback keeps the locals of its frames: {count} blocks"},
    {"held.frame.fix", "store str(error), not the exception or its traceback"},
    {"held.output.fix",
     "`%reset -f out` lets go of all results; one that ends with a semicolon is not kept"},
    {"held.output_too.fix", "`del {name}` and then `%reset -f out` let go of it"},
    {"held.last_error.fix",
     "the next error takes its place; the collector frees it then, or gc.collect()"},
    {"held.view.why", "each small view keeps the whole array it was cut from: {count} blocks"},
    {"held.view.fix", "keep a copy of the part, not a view"},
    {"held.gradients.why",
     "a tensor kept with its grad_fn keeps all that was saved for backward: {count} blocks"},
    {"held.gradients.fix", "keep .item() or .detach() of it, or compute it under torch.no_grad()"},
    {"held.cycle.why", "{count} blocks are held by nothing but reference cycles"},
    {"held.closed_cycle.fix",
     "cut `{attribute}` when done with it (set it to None), or make it a weakref"},
    {"held.cycle.fix", "break the cycle when done with it, or make the reference back a weakref"},
    {"held.native.why", "{count} blocks are held by C or C++ code, and by no Python object"},
    {"held.lost.why",
     "{count} of them have one reference more than any object or frame explains{by}"},
    {"held.lost.by", ": made by {function}()"},
    {"held.lost.fix", "give each new reference back in C (Py_DECREF) once a container has it{by}"},
    {"held.names.why", "{count} blocks are held under these names"},
    {"held.cache.why", "{count} blocks are results kept in the cache"},
    {"held.cache.fix", "give the cache a maxsize"},
    {"held.container.why", "{count} blocks hang from it"},
    {"held.names.fix",
     "delete each name when its value is no longer needed (del, delattr), or bound how many there "
     "are"},
    {"held.at_once.fix", "let go of it under each of these names when it is no longer needed"},
    {"held.container.fix", "keep only what is needed later, or bound it"},

    {"held.small_objects.why", "small Python objects pile up in it"},
    {"held.small_objects_of.why", "small Python objects pile up in it: {grown}"},
    {"held.grown_type", "{count} more `{type}`"},
    {"held.waiting_class.holder", "cyclic garbage ({count} `{type}`), waits for gc"},
    {"held.waiting_class.why",
     "it was freed only at the interpreter's end: {count} `{type}` wait for the cyclic collector, "
     "and what they own in native memory waits with them"},
    {"held.waiting_class.fix",
     "make such an object once and use it again, break its cycle, or call gc.collect() from time "
     "to time"},

    {"path.module", "module {name}"},
    {"module.standard_library", "the standard library"},
    {"path.frame", "frame {name}"},
    {"path.global", "global `{name}`"},
    {"path.attribute", "attribute `{name}`"},
    {"path.local", "local `{name}` of {owner}"},
    {"path.traceback", "traceback"},
    {"path.traceback_of", "traceback of {type}"},
    {"path.unnamed", "an unnamed part"},
    {"path.one_of_them", "one of them"},
};

}  // namespace

SentenceTexts holder_texts() { return kTexts; }

}  // namespace tenure::report
