// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rma_probe.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "loop/rma_window.hpp"
#include "team/errors.hpp"
#include "team/meeting.hpp"

namespace gimbal::mpi {

namespace {

constexpr int kProbers = 8;            // about so many
constexpr std::uint64_t kAdds = 20;    // of each
constexpr double kHeadStart_s = 2e-4;  // for rank 0, to be out of MPI when they come
constexpr std::array kLooks_s = {1e-3, 2e-3, 4e-3, 8e-3};
constexpr std::size_t kApart = 128;

double since_s(std::uint64_t begin) {
    return static_cast<double>(gimbal_rank_ticks() - begin) * gimbal_rank_tick_s();
}

/// Some of the ranks, from all over the communicator; the last one is among them.
struct Probers {
    explicit Probers(const Team& team)
        : others(team.size() - 1), stride(std::max(1, others / kProbers)), count((others - 1) / stride + 1) {}

    /// @return the place of a rank among them, or -1
    [[nodiscard]] int place_of(int rank) const {
        return rank > 0 && (others - rank) % stride == 0 ? (others - rank) / stride : -1;
    }

    int others;
    int stride;
    int count;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Rank 0. Without any call of MPI; the rank that adds may need this processor.
// @param counts  in: what each has added before; out: what has arrived while this rank looked
// @return whether all of it came, from everyone some of it while this rank looked
bool watch(const volatile std::uint64_t* words, std::vector<std::uint64_t>& counts, double limit_s) {
    const auto word = [&](std::size_t prober) { return words[prober * kApart / sizeof(std::uint64_t)]; };
    std::vector<std::uint64_t> first(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) first[i] = word(i);
    const auto complete = [&] {
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (word(i) < counts[i] + kAdds) return false;
        return true;
    };
    const std::uint64_t begin = gimbal_rank_ticks();
    while (!complete() && since_s(begin) < limit_s) sched_yield();
    bool proven = complete();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] = word(i) - first[i];
        proven = proven && counts[i] > 0;
    }
    return proven;
}

// @return what an operation takes [s]
double add_often(RmaWindow& window, std::size_t at) {
    for (const std::uint64_t begin = gimbal_rank_ticks(); since_s(begin) < kHeadStart_s;) sched_yield();
    std::vector<double> times_s;
    for (std::uint64_t i = 0; i < kAdds; ++i) {
        const std::uint64_t begin = gimbal_rank_ticks();
        window.add(at, 1);
        times_s.push_back(since_s(begin));
    }
    return median(times_s);
}

}  // namespace

RmaProbe::RmaProbe(Team& team) {
    if (team.size() == 1) {
        progress = true;
        return;
    }
    const Probers probers(team);
    const int place = probers.place_of(team.rank());
    RmaWindow window(team, static_cast<std::size_t>(probers.count) * kApart, {.bytes = kApart, .every = kApart});
    const bool watches = team.rank() == 0 && window.own_words();
    for (std::size_t look = 0; look < kLooks_s.size() && !progress; ++look) {
        std::vector<std::uint64_t> counts(static_cast<std::size_t>(probers.count), look * kAdds);
        std::array<double, 3> found{};  // progress, time of an operation, operations seen
        await_all(team.comm());
        if (watches) {
            found[0] = watch(window.own_words(), counts, kLooks_s[look]) ? 1 : 0;
            found[2] = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
        }
        if (place >= 0) found[1] = add_often(window, static_cast<std::size_t>(place) * kApart);
        check(MPI_Allreduce(MPI_IN_PLACE, found.data(), 3, MPI_DOUBLE, MPI_MAX, team.comm()), "MPI_Allreduce");
        progress = found[0] > 0;
        operation_s = found[1];
        seen += static_cast<std::uint64_t>(found[2]);
        made += static_cast<std::uint64_t>(probers.count) * kAdds;
        looked_s += kLooks_s[look];
    }
}

const RmaProbe& RmaProbe::of(Team& team) {
    if (const Member* const probe = team.find("rma", "probe")) return static_cast<const RmaProbe&>(*probe);
    return static_cast<const RmaProbe&>(
        team.make_member("rma", "probe", "one-sided operations", [&] { return std::make_unique<RmaProbe>(team); }));
}

}  // namespace gimbal::mpi
