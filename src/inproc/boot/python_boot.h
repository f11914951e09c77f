// inproc/boot/python_boot.h: starts the adapters inside the interpreter, from inside the preloaded library.
// World: inside. No file, no PYTHONPATH: works with -I, -S, venvs, -m, -c, stdin and in child processes.
#pragma once

namespace tenure::inproc {

// Queues the boot as a pending call once the interpreter is up. True when there is nothing left to do here.
bool queue_python_boot() noexcept;

}  // namespace tenure::inproc
