// report/texts/growth.cpp: what analyze says of growth: how much, per what, and why it counts as one.
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"per.iteration", "iteration of {line}"},
    {"per.run", "run of {line}"},
    {"per.block", "block of {function} ({file})"},
    {"per.call", "call of {function}() ({line})"},

    {"cell.line", "{cell}, line {line}"},
    {"count.about", "about {count:number}"},

    {"op.backward", "backward of {node}"},
    {"op.of_line", "{op} ({line})"},

    {"growth.title", "{per_step} bytes every step, {bytes} bytes now"},
    {"growth.with_cause", "{why}; {cause}"},

    {"growth.suspected.why", "it grows, but {but}"},
    {"growth.but.few_late_steps", "too few of its later steps added to it"},
    {"growth.but.bursts", "it was made in a few bursts, not step by step"},
    {"growth.but.small_objects", "it is made of small Python objects, whose lines are not known"},

    {"growth.bounded.why",
     "its holder takes at most {limit} items and has {length}: about {full:bytes} when it is full"},
    {"growth.filling.why", "it grows ever more slowly, as a cache does that fills up"},
    {"growth.stayed.title", "{bytes:bytes} grew and stayed"},
    {"growth.stayed.why",
     "a third of the run or more came after the last addition to it, as after loading"},
    {"growth.given_back.title", "{bytes:bytes} piled up and was released again"},
    {"growth.given_back.why", "{count} blocks made here piled up to the peak before that"},

    {"growth.arena.why", "an arena takes a bigger piece whenever it is full, and gives none back"},
    {"growth.arena.fix",
     "release the arena when the work it was for is done, or make one for each piece of work"},
    {"growth.one_block.why", "one block is replaced by a bigger one again and again"},
    {"growth.one_block.fix", "keep the pieces in a list and join them once, or bound what is kept"},
    {"growth.mappings.why", "{count} shared mappings made here are still there"},
    {"growth.mappings.fix", "let go of each mapping when it is no longer needed"},
    {"growth.segments.why", "{count} segments made here were never unlinked"},
    {"growth.segments.fix", "unlink each segment when its last reader is done"},
    {"growth.segments.holder",
     "/dev/shm, {count} named segments; closing a SharedMemory does not end them"},
    {"growth.objects.why", "small Python objects pile up; who holds them was not seen"},
    {"growth.objects.holder", "small Python objects: {grown}"},
    {"growth.native.why", "{count} blocks made here were never freed"},
    {"growth.native_kept.why", "{count} blocks made here were kept until the program ended"},
    {"growth.native.fix", "free each block when it is no longer needed, or bound what keeps it"},
    {"growth.native_library.holder", "native code of {library}, no Python object has it"},
    {"growth.native_code.holder", "native code, no Python object has it"},
    {"growth.native.holder", "native memory, made through {function}()"},
    {"growth.python.why", "{count} blocks made here, all along the run, are still alive"},
    {"growth.compiled_code.why",
     "a library compiles code here, as for each new shape or type, and keeps what belongs to it: "
     "{count} blocks"},

    {"garbage.title", "{bytes} bytes waited for the cyclic collector at once"},
    {"garbage.why",
     "{count} blocks were held by nothing but reference cycles, and more came every step"},

    {"copies.title", "a worker copied {bytes} bytes of its parent's memory"},
    {"copies.why",
     "the worker shares {count} Python objects with its parent; reading one writes its reference "
     "count, and the page it lies in is copied"},
    {"copies.fix",
     "keep the data in one NumPy array, torch tensor or block of bytes with offsets: reading "
     "those writes nothing"},
};

}  // namespace

SentenceTexts growth_texts() { return kTexts; }

}  // namespace tenure::report
