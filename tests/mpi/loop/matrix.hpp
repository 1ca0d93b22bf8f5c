// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "support/cover.hpp"
#include "support/yielding.hpp"

namespace gimbal::test {

/// Loops over ranks with the transport of GIMBAL_MPI_TRANSPORT; all tests are skipped, with the reason, where that one
/// does not run here.
class OverRanks : public testing::Test {
protected:
    void SetUp() override;

    int rank_ = 0;
    int size_ = 1;
};

/// N for which every kind of division is seen: none, fewer than ranks, one each, one more, many.
[[nodiscard]] std::vector<std::int64_t> extents(int ranks);

/// One loop to its end. @return iterations that this rank ran
std::int64_t run_loop(MPI_Comm comm, std::string_view name, Cover& cover, const mpi::LoopOptions& options = {});

/// Draw from a loop to its end.
void drain(mpi::Loop& loop, Cover& cover);

/// The code of the error that a call ends in; 0 if it does not. Its message must say something.
[[nodiscard]] int code_of(const std::function<void()>& call);

/// Names of techniques, selectors and agents, from `gimbal info`.
[[nodiscard]] std::vector<std::string> schedule_names();

}  // namespace gimbal::test
