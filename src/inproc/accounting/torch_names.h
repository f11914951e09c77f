// inproc/accounting/torch_names.h: functions of libtorch that nodes of gradient graphs are followed by, as linkers call them.
// World: inside. Macros: one use is the name of a symbol in assembly.
#pragma once

// at::sequence_number::get_and_increment()
#define TENURE_NUMBER_NODE "_ZN2at15sequence_number17get_and_incrementEv"
// torch::autograd::Engine::evaluate_function(std::shared_ptr<GraphTask>&, Node*, InputBuffer&, std::shared_ptr<ReadyQueue> const&)
#define TENURE_RUN_NODE                                                                    \
  "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4Nod" \
  "eERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE"
