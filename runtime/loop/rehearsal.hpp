// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Run a loop of Gimbal's own that does nothing, once a process: what a first loop needs is then there, pages of code
/// and of the heap, measured costs of the clock and of drawing. Called when it is known that loops will be Gimbal's,
/// which is when the OpenMP runtime starts or the program sets a schedule, and not in its first loop. Nothing of it is
/// kept, reported or recorded; nothing is read or written. The background thread is started, too (select/background).
/// @errors none: out of memory, it is left out  @threads any  @cost some 0.2 ms the first time, then a load
void rehearse_once() noexcept;

}  // namespace gimbal
