// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/coordinator.hpp"

#include <limits>

#include "gimbal/random.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kGone = std::numeric_limits<std::size_t>::max();

}  // namespace

void Coordinator::begin(std::uint64_t epoch, int ranks, std::uint64_t seed) {
    epoch_ = epoch;
    seed_ = seed;
    answers_ = 0;
    possible_.clear();
    where_.assign(static_cast<std::size_t>(ranks), kGone);
    for (int rank = 0; rank < ranks; ++rank) {
        where_[static_cast<std::size_t>(rank)] = possible_.size();
        possible_.push_back(rank);
    }
}

void Coordinator::has_nothing(int rank) {
    std::size_t& place = where_[static_cast<std::size_t>(rank)];
    if (place == kGone) return;
    possible_[place] = possible_.back();
    where_[static_cast<std::size_t>(possible_[place])] = place;
    possible_.pop_back();
    place = kGone;
}

int Coordinator::victim_for(int thief) {
    has_nothing(thief);
    if (possible_.empty()) return -1;
    return possible_[random_bits(seed_, epoch_, answers_++) % possible_.size()];
}

}  // namespace gimbal::mpi
