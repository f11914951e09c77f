// inproc/snapshot/native_owners.h: follows the memory that objects of extension modules own in C: Pillow's images, lxml's trees,
// databases, compressors. Such an object knows a block that knows another, until one is a block that no Python object has.
// A block is of the objects that are nearest to it: everything in a library knows its registries, and those know everything.
// World: inside, one thread, in the snapshot's child. Words are guesses: each is checked before it is read.
// Cost: a word of the body per object of such a type; a block of at most 16 KiB read once, at most 131,072 of them.
#pragma once
#include "inproc/snapshot/graph_builder.h"
#include "inproc/snapshot/readable.h"

namespace tenure::inproc {

class NativeOwners {
 public:
  NativeOwners(GraphBuilder& builder, const BlockIndex& blocks) noexcept
      : builder_(builder), blocks_(blocks) {}

  // Of the object that is being walked: a node for what it owns in C, whose edges come with run().
  void note(Object object, uint32_t type) noexcept;
  // When all of Python is walked: only blocks that nobody in Python leads to are looked for, and objects of Python in the
  // bodies of the noted ones that have references nobody explains.
  void run() noexcept;

 private:
  struct Noted {
    uint32_t node;
    Object object;
  };

  bool is_much_unclaimed() noexcept;
  bool is_hidden(uint32_t node) const noexcept;
  void scan(uint64_t begin, uint64_t bytes, uint32_t depth) noexcept;
  void follow(uint64_t word, uint32_t depth) noexcept;
  void lead_to_chunk(uint64_t address, uint64_t bytes, uint32_t depth) noexcept;

  GraphBuilder& builder_;
  const BlockIndex& blocks_;
  ReadablePages pages_;
  Column<Noted> noted_;
  struct Chunk {
    uint32_t node;
    uint32_t bytes;  // to be read
    uint64_t address;
    uint32_t depth;  // blocks between it and the nearest object, and one: chunks come in this order
  };
  Column<Chunk> chunks_;
  AddressMap chunk_at_;
  bool follows_blocks_ = false;
  uint32_t first_node_ = 0;  // blocks with an earlier node belong to Python objects
};

}  // namespace tenure::inproc
