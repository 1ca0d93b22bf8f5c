// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

class LoopSite;

/// The loop that this thread entered last; nullptr: none yet. Initial-exec: one load or store, no call.
extern __thread LoopSite* current_site __attribute__((tls_model("initial-exec")));

}  // namespace gimbal
