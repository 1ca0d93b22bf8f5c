// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/rotation.hpp"

namespace gimbal::pin {

namespace {

/// Places that differ by less are alike.
constexpr double kAlike = 1.1;

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> Rotation::turns(std::vector<Seat> seats) const {
    const auto [slowest, fastest] =
        std::minmax_element(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) { return a.speed < b.speed; });
    if (seats.empty() || !(fastest->speed > kAlike * slowest->speed)) return {};
    std::vector<std::pair<double, Seat>> order;
    for (const Seat& seat : seats) order.emplace_back(credit(seat.thread), seat);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> turns;
    std::vector<bool> taken(order.size(), false);
    // From those who have most, in fast places, to those who have least, in slow ones.
    for (std::size_t high = order.size(); high-- > 0;) {
        const auto& [rich, fast] = order[high];
        for (std::size_t low = 0; low < high && !taken[high]; ++low) {
            const auto& [poor, slow] = order[low];
            if (taken[low] || slow.kind != fast.kind || !(fast.speed > kAlike * slow.speed)) continue;
            if (rich - poor <= (fast.speed - slow.speed) / 2) break;
            turns.emplace_back(fast.thread, slow.thread);
            taken[high] = taken[low] = true;
        }
    }
    return turns;
}

}  // namespace gimbal::pin
