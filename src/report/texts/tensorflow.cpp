// report/texts/tensorflow.cpp: what the adapters of TensorFlow say (python/tenure/_tf_*.py).
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"tf.label", " (`{label}`)"},
    {"tf.tensor.holder", "{name}, a tensor of {owner}"},
    {"tf.graph", "a tf.Graph"},
    {"tf.default_graph", "the default graph (tf.Graph)"},
    {"tf.keras_graph", "the Keras graph (keras.backend)"},
    {"tf.graph.scope", "graph"},
    {"tf.default_graph.scope", "default graph"},
    {"tf.session.scope", "session #{number}"},

    {"tf.closed_session.title", "the session was closed before this use"},
    {"tf.closed_session.unseen", "the session was closed before; Tenure did not see where"},
    {"tf.closed_session.left_block",
     "leaving the `with` block of {line} closed it; the name lives on, the session does not"},
    {"tf.closed_session.closed", "close() at {line} ended it, and it is used after that"},
    {"tf.closed_session.fix",
     "move the use before the session's end, or open a new session for it"},
    {"tf.closed_session.holder", "session {name}"},

    {"tf.other_graph.run.title", "a tensor of one graph is run in a session of another"},
    {"tf.other_graph.mixed.title", "a tensor of one graph is mixed with tensors of another"},
    {"tf.other_graph.why", "it was made at {line} while another graph was the default"},
    {"tf.other_graph.fix",
     "make both in the same graph, or run the tensor in a session of its own graph"},
    {"tf.other_graph.owner", "another graph"},
    {"tf.graph_before_reset.why",
     "it was made at {line} in the default graph that reset_default_graph() replaced at {reset}; "
     "tensors do not move to the new one"},
    {"tf.graph_before_reset.fix",
     "make the tensor again after the reset, or keep one graph for both"},
    {"tf.graph_before_reset.owner", "the default graph before reset_default_graph"},

    {"tf.out_of_scope.title", "a tensor of a traced function is used outside of it"},
    {"tf.out_of_scope.why",
     "it was made at {line} while {function} was traced; it stands for a value of that one graph "
     "only and has none of its own"},
    {"tf.out_of_scope.fix",
     "return the tensor from the function and pass it on, or compute it again where it is used; "
     "keep values in tf.Variable"},

    {"tf.variable", "variable `{name}`{label}"},
    {"tf.variable.nameless", "a variable without a name"},
    {"tf.variable.quoted", "`{name}`"},
    {"tf.variable.some", "a variable"},
    {"tf.variable_deleted.title", "a variable was deleted before this use"},
    {"tf.variable_deleted.why",
     "the last reference to the variable went at {line}; a traced function does not keep the "
     "variables it uses alive"},
    {"tf.variable_deleted.fix",
     "keep the tf.Variable as long as the function; change its value with assign() instead of "
     "binding its name to something else"},
    {"tf.variable_uninitialized.title",
     "a variable is read that never got a value in this session"},
    {"tf.variable_uninitialized.why", "{variable} was not initialised in this session{late}"},
    {"tf.variable_uninitialized.late",
     ": an initialiser sets only the variables that exist when it is made; this one is made at "
     "{line}"},
    {"tf.variable_uninitialized.fix",
     "make all variables first, then run tf.global_variables_initializer() once, before this line"},

    {"tf.queue", "{type} `{name}`{label}"},
    {"tf.eager_queue", "{type} {name}"},
    {"tf.queue_closed.title", "a queue was closed before this use"},
    {"tf.queue_closed.unseen", "it was closed, and fewer elements were left than were asked for"},
    {"tf.queue_closed.by_user.why",
     "it was closed at {line}, and fewer elements were left than were asked for{because}"},
    {"tf.queue_closed.by_user.because", "; it was closed because of {error}, raised at {line}"},
    {"tf.queue_closed.by_runner.why",
     "it was closed by the queue runner made at {line}, and fewer elements were left than were "
     "asked for{because}"},
    {"tf.queue_closed.by_runner.because",
     "; it was closed because of {error}, which comes from {line}"},
    {"tf.queue_closed.fix_reason",
     "handle that error where elements are put in; treat OutOfRangeError as the end of the input"},
    {"tf.queue_closed.fix",
     "treat OutOfRangeError as the end of the input, or close the queue only when all has been "
     "read"},
    {"waiting", "waiting for an element{unfilled}{alone}"},
    {"tf.wait.unfilled", ": no run has put anything into the queue yet"},
    {"tf.wait.alone", ", and no other Python thread is there that could"},

    {"tf.sessions.holder", "sessions made at {line} that were never closed"},
    {"tf.sessions.why",
     "each session keeps its variables and its copy of the graph until it is closed; these are "
     "never closed"},
    {"tf.sessions.fix", "close each session, or use `with tf.Session() as sess:`"},
    {"tf.interactive_sessions.holder",
     "the default session stack: an InteractiveSession stays on it until close()"},
    {"tf.interactive_sessions.fix",
     "call close() on each InteractiveSession, or use `with tf.Session() as sess:` instead"},

    {"tf.graph_growth.holder", "{graph}, which keeps every op ever made in it"},
    {"tf.graph_growth.why",
     "these lines add new ops to the graph each time they run; a graph forgets no op, and closing "
     "a session does not free them"},
    {"tf.graph_growth.fix",
     "make the ops once, before the loop, and feed what changes through a tf.placeholder"},
    {"tf.model_rebuilt.holder",
     "{graph}, which keeps the ops and variables of every model ever made in it"},
    {"tf.model_rebuilt.why",
     "these lines build a model anew each time they run, in one graph; dropping the model frees "
     "nothing of it there"},
    {"tf.model_rebuilt.fix",
     "build the model once and set its weights, or call keras.backend.clear_session() before each "
     "new model"},
    {"tf.graph_pile.holder", "tf.Graph objects that are kept"},
    {"tf.graph_pile.why",
     "a graph keeps its ops and constants as long as anything refers to it or to one of its "
     "tensors, and more and more graphs are kept"},
    {"tf.graph_pile.fix",
     "keep plain values or NumPy arrays instead of graphs, tensors and ops, or drop them with the "
     "graph"},
    {"tf.model_pile.holder", "loaded models that are kept"},
    {"tf.model_pile.why",
     "a loaded model keeps its variables, its graphs and the native state of its functions as long "
     "as anything refers to it, and more and more of them are kept"},
    {"tf.model_pile.fix",
     "load the model once and share it, or drop the old one before the next is loaded"},

    {"tf.retracing.holder", "the function cache of `{name}`, a ConcreteFunction for each trace"},
    {"tf.retracing.why",
     "`{name}` is traced again and again: {reason}; every trace keeps a whole graph"},
    {"tf.retracing.new_function.reason",
     "a new tf.function is made from it each time, and each new one is traced anew"},
    {"tf.retracing.new_function.fix",
     "make the tf.function once, outside the loop, and pass what changes as tensors"},
    {"tf.retracing.tensor.reason", "the type or shape of `{argument}` changes"},
    {"tf.retracing.tensor.fix",
     "give tf.function an input_signature with None for the dimensions that change"},
    {"tf.retracing.object.reason", "`{argument}` is another {type} object in each call"},
    {"tf.retracing.object.fix", "pass the same object each time, or take it out of the arguments"},
    {"tf.retracing.value.reason", "`{argument}` is a Python value that changes"},
    {"tf.retracing.value.fix",
     "pass tf.constant({argument}) or a tensor, so that one trace serves all values"},
    {"tf.retracing.unknown.reason", "what it is called with changes from call to call"},
    {"tf.retracing.unknown.fix",
     "pass tensors of one type and shape, and give tf.function an input_signature"},

    {"tf.reused_tape.holder", "the persistent GradientTape {name}"},
    {"tf.reused_tape.why",
     "a persistent tape keeps every tensor it recorded as long as it lives, and this one is "
     "entered again and again"},
    {"tf.reused_tape.fix",
     "make a new tf.GradientTape for each step, and drop it when its gradients are taken"},
    {"tf.tape_pile.holder", "GradientTape objects that are never dropped"},
    {"tf.tape_pile.why",
     "a tape keeps every tensor it recorded until it is dropped, or until its gradient is taken if "
     "it is not persistent; the tapes of all steps are kept"},
    {"tf.tape_pile.fix",
     "keep the gradients or the values, not the tape; `del tape` when its gradients are taken"},

    {"tf.py_function.tape_cache.holder", "TensorFlow's cache script_ops.tape_cache"},
    {"tf.py_function.py_funcs_used_in_graph.holder",
     "TensorFlow's cache _py_funcs_used_in_graph of the default graph"},
    {"tf.py_function.why",
     "each call of tf.py_function outside a tf.function leaves an entry with its function and "
     "tensors there, for good"},
    {"tf.py_function.fix",
     "call the Python function directly while executing eagerly, or wrap the call in a tf.function "
     "made once"},
};

}  // namespace

SentenceTexts tensorflow_texts() { return kTexts; }

}  // namespace tenure::report
