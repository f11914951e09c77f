// report/texts/losses.cpp: what analyze says of what was not seen.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"loss.table_full",
     "{count} new things were counted under `other`: a table of the ledger was full"},
    {"loss.untracked_birth",
     "{count} blocks were not counted: made in a signal handler or without memory for their "
     "entry"},
    {"loss.stack_truncated", "{count} stacks were deeper than Tenure reads"},
    {"loss.process_not_joined", "{count} processes could not reach Tenure"},
    {"loss.unmatched_end", "{count} frees came from signal handlers and were not counted"},
    {"loss.page_refused", "the system refused {count} pages of the ledger"},
    {"loss.fork_unseen", "{count} forks were noticed late"},
    {"loss.site_coarsened",
     "very many stacks made memory: those that came late are known by the user's line only"},
    {"loss.sampling",
     "blocks under {threshold} bytes are estimated from one sample in {mean} bytes"},
    {"loss.guard_python",
     "Python keeps its objects of up to 512 bytes in pools of its own; they are not guarded"},
    {"loss.attached",
     "what the program made before Tenure was attached to it: who made that is not known, and "
     "whether "
     "it leaks is not judged"},
    {"loss.memory", "{bytes:bytes} of {resident:bytes} resident memory, in {where}"},
    {"loss.memory_grew", "{bytes:bytes} that piled up in {where}{while}"},
    {"loss.device", "memory of the device ({device})"},
    {"loss.code",
     "{count} functions of the program found no room in a snapshot; lines that fill a holder may "
     "be missing"},
};

}  // namespace

SentenceTexts loss_texts() { return kTexts; }

}  // namespace tenure::report
