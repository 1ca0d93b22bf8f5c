// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when Gimbal is loaded into the simulator's process, which runs all ranks of a job. There is no report:
// none of the ranks ends with it.
#include <cstdlib>

#include "base/clock.hpp"
#include "base/process_state.hpp"
#include "config/load.hpp"

namespace gimbal {

namespace {

__attribute__((constructor)) void on_load() {
    // Virtual time does not pass while a thread beside the ranks computes: predictions belong to the rank that asks.
    // What earlier runs of this program have learnt is of another clock.
    setenv("GIMBAL_BACKGROUND", "off", 0);
    setenv("GIMBAL_CACHE", "off", 0);
    note_start();
    start_clock();
    load_options_at_start();
}

}  // namespace

}  // namespace gimbal
