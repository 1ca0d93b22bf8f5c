// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace gimbal::mpi {

/// Random bits for one use: a function of what they are for, not of what was drawn before.
/// @source finaliser of splitmix64: Steele, Lea, Flood 2014
[[nodiscard]] inline std::uint64_t steal_random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t use) noexcept {
    std::uint64_t bits = seed + 0x9E3779B97F4A7C15U * (epoch + 1) + 0xD1B54A32D192ED03U * (use + 1);
    for (int round = 0; round < 2; ++round) {
        bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
        bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
        bits ^= bits >> 31U;
    }
    return bits;
}

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
