// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace apps {

/// Wall time that a piece of work takes [s], on a clock that only runs forward.
/// @errors those of work   @threads the caller's   @cost two readings of the clock
template <class Work>
double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace apps
