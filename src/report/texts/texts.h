// report/texts/texts.h: the English of all sentences that reach the report as codes: a table for each part that sends them.
// World: offline. Constant data. `{name}` stands for the parameter of that name, for nothing where none was sent. `{name?}`
// is left out where the sentence would get longer with it than it may be. `{name:bytes}` is a number of bytes, as people read it.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace tenure::report {

struct SentenceText {
  std::string_view code;
  std::string_view text;
  size_t most_bytes = 0;  // what is longer ends in an ellipsis; 0: it may have any length
};
using SentenceTexts = std::span<const SentenceText>;

SentenceTexts python_texts();      // what all adapters say, and that of streams
SentenceTexts tensorflow_texts();  // python/tenure/_tf_*.py
SentenceTexts torch_texts();       // python/tenure/_torch_*.py
SentenceTexts jax_texts();         // python/tenure/_jax_*.py
SentenceTexts native_texts();      // the guarded heap, and the C++ library
SentenceTexts growth_texts();      // src/analyze: what grows
SentenceTexts holder_texts();      // src/analyze: who holds it
SentenceTexts act_texts();         // report/texts/acts.json: what to do about what is known
SentenceTexts ending_texts();      // src/analyze: how it ended, and why nothing is known
SentenceTexts loss_texts();        // src/analyze: what was not seen

}  // namespace tenure::report
