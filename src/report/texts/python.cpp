// report/texts/python.cpp: what all adapters of Python say, and what _streams.py says.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"and", "{first} and {second}"},
    {"at", " at {line}"},
    {"nameless", "without a name"},
    {"unseen-line", "a line that was not seen"},
    {"a-function", "a function"},

    {"streams.closed.title", "a stream was closed before this use"},
    {"streams.closed.why", "this {type} was closed{at}, and it is used once more"},
    {"streams.closed.fix", "use it before it is closed, or open it again for this use"},
    {"streams.detached.title", "a stream was detached before this use"},
    {"streams.detached.why",
     "detach(){at} took the buffer away from this {type}; whoever keeps the old wrapper can no "
     "longer use it"},
    {"streams.detached.fix",
     "look the stream up when it is used instead of keeping the old one, or change it in place "
     "with reconfigure(encoding=...) instead of detach()"},
    {"streams.standard", "the first {stream}"},
    {"streams.of_file", "the stream of {file}"},
    {"streams.named", "stream {name}"},
    {"streams.named_and_known", "{named}, {known}"},
};

}  // namespace

SentenceTexts python_texts() { return kTexts; }

}  // namespace tenure::report
