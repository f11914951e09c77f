// inproc/boot/native_calls.h: what the C++ library says of scopes, lifetime errors and causes of growth.
// World: inside. Any thread, but never from a signal handler.
#pragma once
#include "base/native_calls.h"

namespace tenure::inproc {

const NativeCalls& native_calls() noexcept;

}  // namespace tenure::inproc
