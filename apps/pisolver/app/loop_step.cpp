// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "step.hpp"

#include <gimbal/mpi/loop.hpp>

namespace pisolver {

Step loop_step(WorkView work, Iteration iteration, const std::string& schedule) {
    return [=](Tally& tally, StepRecord& record) mutable {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "pisolver", std::ssize(work), {.schedule = schedule});
        while (const auto chunk = loop.next()) {
            timed(record, [&] {
                for (std::int64_t i = chunk.first; i < chunk.end; ++i) {
                    tally.add(i, iteration(work[static_cast<std::size_t>(i)]));
                }
            });
        }
    };
}

}  // namespace pisolver
