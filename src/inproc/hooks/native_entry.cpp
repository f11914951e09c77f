// inproc/hooks/native_entry.cpp: the one name by which the C++ library finds the preloaded one.
#include "inproc/boot/native_calls.h"

extern "C" __attribute__((visibility("default"))) const tenure::NativeCalls* tenure_native_calls(
    uint32_t version) noexcept {
  return version == tenure::kNativeCallsVersion ? &tenure::inproc::native_calls() : nullptr;
}
