// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "step.hpp"

namespace pisolver {

Step static_step(Range range, WorkView work, Iteration iteration) {
    return [=](Tally& tally, StepRecord& record) mutable {
        timed(record, [&] {
            for (std::int64_t i = range.first; i < range.end; ++i) {
                tally.add(i, iteration(work[static_cast<std::size_t>(i - range.first)]));
            }
        });
    };
}

}  // namespace pisolver
