// report/texts/jax.cpp: what the adapters of JAX say (python/tenure/_jax_*.py).
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"jax.a_tracer", "a tracer"},
    {"jax.an_array", "an array"},
    {"jax.argument", "argument {number}"},
    {"jax.this_argument", "this argument"},
    {"jax.called_at", " (called at {line})"},
    {"jax.called_from", "{line}, called from {caller}"},
    {"jax.made_at", " made at {line}"},
    {"jax.was_made_at", " was made at {line}"},
    {"jax.something_outside", "something outside of the function"},
    {"jax.taken_away", "taken away"},

    {"jax.deleted_array.title", "an array is used after its memory was {by}"},
    {"jax.deleted_array.why", "this {type}{made}; {how}"},
    {"jax.deleted_array.holder", "{name}, {by}"},
    {"jax.deleted.in", "deleted in {function}()"},
    {"jax.deleted.at", "deleted at {line}"},
    {"jax.deleted.how", "delete() at {line} ended it"},
    {"jax.deleted.unseen", "where it was deleted or donated was not seen"},
    {"jax.deleted.fix",
     "use the array before it is deleted, delete it after its last use, or keep a copy with "
     "jnp.copy()"},
    {"jax.donated.by", "donated to {function}"},
    {"jax.donated.how",
     "the call of {function} at {line} took it over, since {argument} is donated: its memory holds "
     "a result now"},
    {"jax.donated.fix",
     "go on with what {function} returns in place of the old array, or do not donate what is still "
     "needed"},

    {"jax.alias.title", "writing to a NumPy array changed an array of JAX"},
    {"jax.alias.why",
     "this {type} was made at {line} without a copy: it shares the memory of the NumPy array{made} "
     "and was changed when that was written later"},
    {"jax.alias.fix",
     "write into a new NumPy array each time, or have JAX copy it with jnp.array()"},

    {"jax.leaked_tracer.title", "a value of the traced function {function} is used outside of it"},
    {"jax.leaked_tracer.why",
     "{name} stands for a value only while {function} is traced{called} and has none of its own; "
     "{keeper} kept it beyond that"},
    {"jax.leaked_tracer.fix",
     "return the value from {function} and keep the result, or pass the state in as an argument "
     "and the new one out; assign nothing outside of a traced function"},
    {"jax.leaked_tracer.holder", "{name}, leaked from {function}"},

    {"jax.retracing.holder", "the jit cache of `{name}`, a compiled executable for each trace"},
    {"jax.retracing.why",
     "`{name}` is traced again and again: {reason}; each trace keeps a compiled program"},
    {"jax.retracing.new_function.reason",
     "jax.jit is given a new function each time at {line}, and each is traced and compiled anew"},
    {"jax.retracing.new_function.fix",
     "call jax.jit once, outside the loop, on one function, and pass what changes as arguments"},
    {"jax.retracing.other_way.reason", "{argument} is passed in another way than before"},
    {"jax.retracing.other_way.fix", "pass the same arguments in each call"},
    {"jax.retracing.static.reason",
     "the static argument {argument} has a new value ({old}, then {new})"},
    {"jax.retracing.static.fix",
     "make {argument} an ordinary argument, so that one program serves all values"},
    {"jax.retracing.object.reason",
     "the static argument {argument} is another object in each call"},
    {"jax.retracing.object.fix",
     "pass the same object each time, or one with __eq__ and __hash__ by value"},
    {"jax.retracing.dtype.reason", "the type of {argument} changes ({old}, then {new})"},
    {"jax.retracing.dtype.fix", "convert {argument} to one dtype before the call"},
    {"jax.retracing.shape.reason", "the shape of {argument} changes ({old}, then {new})"},
    {"jax.retracing.shape.fix",
     "pad {argument} to a few sizes, so that a few compiled programs serve all calls"},
    {"jax.retracing.unknown.reason", "what it is called with changes from call to call"},
    {"jax.retracing.unknown.fix", "call it with arrays of a few types and shapes only"},
};

}  // namespace

SentenceTexts jax_texts() { return kTexts; }

}  // namespace tenure::report
