// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace gimbal::mpi {

/// Who names victims under the rule `seed`: a random rank that has not been a thief in this execution, and of which no
/// thief has heard that it has nothing. Victims depend on the seed and on the order in which thieves ask and ranks are
/// known to have nothing. The coordinator, rank 0, may be one: answers take its time, so its own items would end last.
/// @source Birgovan 2023, section 5.3, after Wetten, where the coordinator is no victim; test:
///         tests/mpi/steal/coordinator_test.cpp
class Coordinator {
public:
    /// A new execution: nobody has been a thief. @cost O(ranks)
    void begin(std::uint64_t epoch, int ranks, std::uint64_t seed);

    /// A rank has nothing left in this execution: nobody is sent there again. @cost O(1)
    void has_nothing(int rank);

    /// Whom `thief` may ask. @return a rank; -1: nobody any more, in this execution  @cost O(1)
    [[nodiscard]] int victim_for(int thief);

private:
    std::uint64_t epoch_ = 0;
    std::uint64_t seed_ = 0;
    std::uint64_t answers_ = 0;
    std::vector<int> possible_;       // victims
    std::vector<std::size_t> where_;  // [ranks] place in possible_, or kGone
};

}  // namespace gimbal::mpi
