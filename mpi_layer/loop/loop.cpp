// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/mpi/loop.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <utility>

#include "gimbal/rank_loop.h"
#include "loop/transport.hpp"

namespace gimbal::mpi {

namespace {

int schedule_number(const Team& team, const std::string& schedule) {
    if (schedule.empty()) return team.settings().schedule;
    std::array<char, 1024> message{};
    const int number = gimbal_rank_schedule(schedule.c_str(), message.data(), message.size());
    if (number <= 0) throw Error(ErrorCode::invalid_option, message.data());
    return number;
}

void check_iterations(std::int64_t iterations) {
    if (iterations < 0)
        throw Error(ErrorCode::wrong_use, "a loop cannot have " + std::to_string(iterations) + " iterations",
                    "N must be >= 0");
}

// What a schedule is asked for at is learnt for itself: the ranks must agree on it, whatever else the loop ran as.
Transport& transport_of(Team& team, std::string_view name, const std::string& schedule) {
    std::string key(name);
    if (!schedule.empty()) key += "\n" + schedule;
    const auto make = [&](Team& of, const std::string&) -> std::unique_ptr<Member> {
        return make_transport(of, std::string(name));
    };
    return static_cast<Transport&>(team.member("loop", key, make));
}

// What is learnt lives with rank 0, and so does what the program knows.
void tell(const Team& team, std::string_view name, const LoopOptions& options) {
    const bool given = !options.weights.empty() || options.overhead_s >= 0 || options.sigma_s >= 0;
    if (!given || team.rank() != 0) return;
    const auto ranks = static_cast<std::uint32_t>(team.size());
    gimbal_rank_given(gimbal_rank_site(std::string(name).c_str(), ranks),
                      options.weights.empty() ? nullptr : options.weights.data(), ranks, options.overhead_s,
                      options.sigma_s);
}

void check_weights(const Team& team, const std::vector<double>& weights) {
    if (weights.empty()) return;
    const bool positive = std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
    if (!positive || weights.size() != static_cast<std::size_t>(team.size()))
        throw Error(ErrorCode::wrong_use,
                    "weights must be " + std::to_string(team.size()) + " numbers > 0, one a rank");
}

// A draw says that the chunk before it is finished, unless several threads draw.
bool may_run_again(const Team& team, const LoopOptions& options) {
    const bool may = options.idempotent && !options.shared_by_threads;
    if (team.settings().robust && !may && team.rank() == 0)
        gimbal_rank_warn(
            "GIMBAL_MPI_ROBUST does nothing for loops whose program does not say that chunks may run twice "
            "(idempotent), or whose chunks several threads of a rank draw");
    return may;
}

Chunk chunk_of(std::uint64_t first, std::uint64_t end) noexcept {
    return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
}

/// Held for a draw; several threads of a rank may want one. Unlike a mutex it costs one exchange.
class Turn {
public:
    explicit Turn(std::atomic_flag* taken) : taken_(taken) {
        if (!taken_) return;
        while (taken_->test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~Turn() {
        if (taken_) taken_->clear(std::memory_order_release);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::atomic_flag* taken_;
};

}  // namespace

struct Loop::State {
    Team* team = nullptr;
    Transport* transport = nullptr;
    std::unique_ptr<RankExecution> execution;
    bool by_threads = false;
    bool exhausted = false;
    bool inside = true;
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

    [[nodiscard]] std::atomic_flag* turn() noexcept { return by_threads ? &taken : nullptr; }
};

Loop::Loop(MPI_Comm comm, std::string_view name, std::int64_t iterations, const LoopOptions& options)
    : state_(std::make_unique<State>()) {
    Team& team = Team::of(comm);
    const int schedule = schedule_number(team, options.schedule);
    state_->team = &team;
    state_->by_threads = options.shared_by_threads;
    state_->transport = &transport_of(team, name, options.schedule);
    try {
        check_iterations(iterations);
        check_weights(team, options.weights);
    } catch (const Error&) {
        // The other ranks' arguments may be sound: nobody waits for this one then.
        state_->transport->refuse();
        throw;
    }
    tell(team, name, options);
    state_->execution =
        state_->transport->enter({static_cast<std::uint64_t>(iterations), schedule, may_run_again(team, options)});
}

Loop::Loop(Loop&&) noexcept = default;

Loop::~Loop() {
    if (!state_ || !state_->inside) return;
    try {
        leave();
    } catch (const std::exception& error) {
        // A destructor cannot report it otherwise; the loop is over either way.
        std::fprintf(stderr, "gimbal: error: leaving a loop: %s\n", error.what());
    }
}

Chunk Loop::next() {
    State& state = *state_;
    const Turn turn(state.turn());
    if (!state.inside) throw Error(ErrorCode::wrong_use, "a chunk was asked for after leave()");
    if (state.exhausted) {
        if (state.by_threads) return {};
        throw Error(ErrorCode::wrong_use, "a chunk was asked for after the end of the loop",
                    "next() has returned an empty chunk before; construct another Loop");
    }
    RankExecution& execution = *state.execution;
    if (execution.share.fast) [[likely]] {
        // Variables of its own, so that they need not be in memory.
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        if (gimbal_share_next(&execution.share, &first, &end)) [[likely]]
            return chunk_of(first, end);
    }
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    if (execution.next(first, end)) return chunk_of(first, end);
    state.exhausted = true;
    return {};
}

void Loop::progress() {
    Team::poll_all();
}

bool Loop::finish(const Chunk& chunk) {
    const Turn turn(state_->turn());
    return state_->execution->finish(static_cast<std::uint64_t>(chunk.first), static_cast<std::uint64_t>(chunk.end));
}

void Loop::leave() {
    const Turn turn(state_->turn());
    if (!state_->inside) return;
    state_->inside = false;
    state_->execution->leave();
    state_->execution.reset();
}

std::string_view Loop::transport() const noexcept {
    return state_->transport->name();
}

}  // namespace gimbal::mpi
