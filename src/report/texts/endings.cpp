// report/texts/endings.cpp: what analyze says of how a run ended, what it waits for, and why its verdict is unknown.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"ending.interrupted", "Interrupted."},
    {"ending.interrupted_at", "Interrupted at {line}."},
    {"ending.killed", "Killed by {signal} ({number})."},
    {"ending.killed_by_number", "Killed by a signal ({number})."},
    {"ending.unseen", "Its end was not seen: Tenure was killed first."},

    {"death.killed.title", "killed by the system because memory ran out"},
    {"death.killed.why",
     "the kernel's OOM killer ended the program; this line held most at the peak"},
    {"death.refused.title", "a request for {bytes} bytes was refused"},
    {"death.refused.why",
     "the system refused the memory, and the program ended of it; the first line asked last, the "
     "next held most"},

    {"wait.title", "a run waits for an element of a queue"},
    {"wait.why", "it is {state}"},
    {"wait.fix",
     "run the op that fills the queue before this line or in another thread, or close the queue "
     "when nothing more will come"},
    {"wait.holder", "queue {queue}"},

    {"unknown.not_begun", "it ended before Tenure's library had begun"},
    {"unknown.not_joined",
     "Tenure's library did not get into the program; `tenure doctor` says what this machine "
     "allows"},
    {"unknown.does_not_parse",
     "the script does not parse ({type}: {message}), so nothing of it ran"},
    {"unknown.own_malloc", "the program brings its own malloc, so its heap was not seen"},
    {"unknown.too_short",
     "memory grew by {bytes:bytes} over only {steps} steps ({per}): too few to tell; let it run "
     "longer"},
    {"unknown.memory",
     "{bytes:bytes} of {resident:bytes} resident memory is in {where}, and too little was seen to "
     "tell whether it grows"},
    {"unknown.memory_grew", "{bytes:bytes} piled up in {where}{while}"},
    {"unseen.in_library", "the allocator inside {library}, whose blocks are not seen"},
    {"unseen.in_mapping", "a mapping of {bytes:bytes}, whose blocks are not seen"},
    {"unseen.anywhere", "no block that was seen"},
    {"unseen.while", ", while {line} ran"},
    {"unknown.device", "memory of the device ({device}) is not seen"},
    {"unknown.python_lines", "the lines of Python code could not be read ({why})"},
    {"unknown.end_unseen", "its end was not seen, and too few steps were seen before"},
    {"unknown.killed", "it was killed before it could show whether memory grows"},
    {"unknown.running", "it is still running, and too few steps were seen yet"},
    {"unknown.detached", "too few steps were seen while it was attached to; attach for longer"},
    {"unknown.no_symbols", "the names of native code cannot be read from the record"},
};

}  // namespace

SentenceTexts ending_texts() { return kTexts; }

}  // namespace tenure::report
