// report/texts/native.cpp: what src/inproc/boot says of guarded blocks, and src/lib of its scopes and buffers.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"bytes.one", "{count} byte"},
    {"bytes.many", "{count} bytes"},

    {"guarded.read_freed.title", "byte {byte} of a freed block of {size} was read"},
    {"guarded.wrote_freed.title", "byte {byte} of a freed block of {size} was written"},
    {"guarded.use_after_free.why",
     "an address does not keep its block alive: the block was freed, and the address stayed "
     "behind"},
    {"guarded.use_after_free.fix",
     "use the address only while its owner lives and leaves the block where it is, or copy what is "
     "needed before"},

    {"guarded.read_outside.title", "byte {byte} of a block of {size} was read"},
    {"guarded.wrote_outside.title", "byte {byte} of a block of {size} was written"},
    {"guarded.outside.why", "the block is shorter than the code that uses it believes"},
    {"guarded.outside.fix", "compare the size at the first line with the count at the last one"},

    {"guarded.double_free.title", "a block of {size} was freed a second time"},
    {"guarded.double_free.why", "two owners believed that it was theirs to free"},
    {"guarded.double_free.fix",
     "let one of the two lines free it, and set the other's pointer to null"},

    {"freed_again.fix",
     "run it with --guard: that tells the line that made the block and the one that freed it "
     "first"},

    {"guarded.overrun.title", "something was written behind the end of a block of {size}"},
    {"guarded.overrun.why",
     "found when it was freed; which line wrote it is not known, since the bytes lay in the "
     "block's own page"},
    {"guarded.overrun.fix", "compare the size at the line that made it with what is written to it"},

    {"library.scope", "{type} `{name}`"},
    {"library.pile.why",
     "buffers made here, such as `{buffer}`, pile up in {scope}: their owners do not end them"},
    {"library.pile.fix",
     "make what repeats in a scope that is closed every time, or end each buffer after its last "
     "use"},
    {"library.ended.why", "it was ended by {by}"},
    {"library.detached.why", "it was detached by {by}"},
    {"library.closing.why", "its scope is closing"},
};

}  // namespace

SentenceTexts native_texts() { return kTexts; }

}  // namespace tenure::report
