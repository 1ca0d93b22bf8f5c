// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/mpi/loop.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "gimbal/loop.h"
#include "gimbal/rank_loop.h"
#include "loop/transport.hpp"
#include "team/errors.hpp"
#include "team/meeting.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kLongestName = 100;  // in a message

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

// What a loop is to all ranks, and what they are told if they do not agree.
std::string described(std::string_view name, std::int64_t iterations, int schedule, const LoopOptions& options) {
    std::array<char, GIMBAL_SCHEDULE_BYTES> text{};
    gimbal_schedule_print(schedule, text.data(), text.size());
    return "loop \"" + std::string(name.substr(0, kLongestName)) + "\", " + std::to_string(iterations) +
           " iterations, schedule " + text.data() +
           (options.idempotent ? ", chunks may run twice" : ", chunks run once");
}

// What a schedule is asked for at is learnt for itself: the ranks must agree on it, whatever else the loop ran as.
Transport& transport_of(Team& team, std::string_view name, std::int64_t iterations, int schedule,
                        const LoopOptions& options) {
    std::string key(name);
    if (!options.schedule.empty()) key += "\n" + options.schedule;
    if (Member* const known = team.find("loop", key)) return static_cast<Transport&>(*known);
    return static_cast<Transport&>(
        team.make_member("loop", key, described(name, iterations, schedule, options),
                         [&]() -> std::unique_ptr<Member> { return make_transport(team, std::string(name)); }));
}

// This rank cannot begin that loop. The other ranks' schedule may be sound, and is not known here: of the loops of that
// name they begin most likely the one that was begun last, or one that is new everywhere.
void refuse(Team& team, std::string_view name, std::int64_t iterations, const std::string& schedule) {
    Transport* last = nullptr;
    for (const auto& [key, member] : team.all_of("loop")) {
        if (key.substr(0, key.find('\n')) != name) continue;
        auto* const transport = static_cast<Transport*>(member);
        if (!last || transport->last_begun() > last->last_begun()) last = transport;
    }
    if (last) return last->refuse();
    static_cast<void>(meet(team.comm(), "loop \"" + std::string(name.substr(0, kLongestName)) + "\", " +
                                            std::to_string(iterations) + " iterations, schedule \"" +
                                            schedule.substr(0, kLongestName) + "\", which is not valid"));
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
    const bool positive =
        std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0 && std::isfinite(weight); });
    if (!positive || weights.size() != static_cast<std::size_t>(team.size()))
        throw Error(ErrorCode::wrong_use,
                    "weights must be " + std::to_string(team.size()) + " numbers > 0 and finite, one a rank");
}

// A draw says that the chunk before it is finished, unless several threads draw.
bool may_run_again(const Team& team, const LoopOptions& options) {
    const bool may = options.idempotent && !options.shared_by_threads;
    if (team.settings().robust && !may && team.rank() == 0)
        warn_of_setting(
            "GIMBAL_MPI_ROBUST has no effect on loops that the program does not declare as safe to run twice "
            "(idempotent), or whose chunks several threads of a rank draw",
            team.size());
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

struct Loop::State final : TeamUser {
    Team* team = nullptr;                      // where this is known to be open; nullptr: nowhere
    std::unique_ptr<RankExecution> execution;  // nullptr: this rank has left it
    std::string name;
    std::string_view transport;
    const char* closed_by = nullptr;  // the call that ended the loop before the program did
    bool by_threads = false;
    bool reruns = false;
    bool exhausted = false;
    bool inside = true;
    Chunk held = {};                    // drawn last, where chunks may run twice
    gimbal_rank_chunk* here = nullptr;  // what the loops of threads in a chunk see; nullptr: several threads draw
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (team) team->remove(*this);
    }

    [[nodiscard]] std::atomic_flag* turn() noexcept { return by_threads ? &taken : nullptr; }
    [[nodiscard]] Chunk begin(const gimbal_rank_chunk& common, std::uint64_t first, std::uint64_t end) const noexcept {
        if (here) [[likely]]
            gimbal_rank_chunk_begin(here, &common, first, end);
        return chunk_of(first, end);
    }
    void leave(LeaveMode how);
    [[noreturn]] void throw_not_inside(const char* asked) const;
    bool close(const char* call) noexcept override;
    [[nodiscard]] std::string description() const override { return "the loop \"" + name + "\""; }
};

// The execution goes whatever it says.
void Loop::State::leave(LeaveMode how) {
    if (!execution) return;
    if (here) gimbal_rank_chunk_end(here);
    if (team) std::exchange(team, nullptr)->remove(*this);
    const std::unique_ptr<RankExecution> leaving = std::move(execution);
    leaving->leave(how);
}

void Loop::State::throw_not_inside(const char* asked) const {
    if (!closed_by) throw Error(ErrorCode::wrong_use, std::string(asked) + " after leave()");
    throw Error(ErrorCode::wrong_use, std::string(asked) + " after " + closed_by + ", which ended " + description(),
                std::string("loops must end before ") + closed_by);
}

// What was drawn to its end is over; only threads of this rank might still have wanted to know.
bool Loop::State::close(const char* call) noexcept {
    team = nullptr;
    inside = false;
    closed_by = call;
    try {
        leave(LeaveMode::at_once);
    } catch (...) {  // nobody is there to be told
    }
    return !exhausted;
}

Loop::Loop(MPI_Comm comm, std::string_view name, std::int64_t iterations, const LoopOptions& options)
    : state_(std::make_unique<State>()) {
    Team& team = Team::of(comm);
    int schedule = 0;
    try {
        schedule = schedule_number(team, options.schedule);
    } catch (const Error&) {
        refuse(team, name, iterations, options.schedule);
        throw;
    }
    Transport& transport = transport_of(team, name, iterations, schedule, options);
    static std::atomic<std::uint64_t> begun{0};
    transport.note_begun(begun.fetch_add(1, std::memory_order_relaxed) + 1);
    state_->name = name;
    state_->transport = transport.name();
    state_->by_threads = options.shared_by_threads;
    try {
        check_iterations(iterations);
        check_weights(team, options.weights);
    } catch (const Error&) {
        // The other ranks' arguments may be sound: nobody waits for this one then.
        transport.refuse();
        throw;
    }
    tell(team, name, options);
    const bool may = may_run_again(team, options);
    state_->reruns = may && team.settings().robust != 0;
    state_->execution = transport.enter({static_cast<std::uint64_t>(iterations), schedule, may});
    state_->team = &team;
    team.add(*state_);
    if (options.shared_by_threads) return;
    state_->here = gimbal_rank_chunk_here();
    RankExecution& execution = *state_->execution;
    gimbal_rank_describe(execution.share.execution, static_cast<std::uint64_t>(iterations), &execution.common);
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
    if (!state.inside) [[unlikely]]
        state.throw_not_inside("a chunk was asked for");
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
            return state.begin(execution.common, first, end);
    }
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    if (execution.next(first, end)) {
        state.held = chunk_of(first, end);
        return state.begin(execution.common, first, end);
    }
    state.exhausted = true;
    // Nobody need wait until the program destroys the loop. Other threads of this rank may be in their last chunks.
    if (!state.by_threads) state.leave(LeaveMode::in_order);
    return {};
}

void Loop::progress() {
    Team::poll_all();
}

bool Loop::finish(const Chunk& chunk) {
    State& state = *state_;
    const Turn turn(state.turn());
    if (!state.inside) state.throw_not_inside("a chunk was finished");
    // A rank that was told that nothing is left has said what is finished: the draw before that did.
    if (!state.execution) return !state.reruns;
    if (state.reruns && (chunk.first != state.held.first || chunk.end != state.held.end))
        throw Error(ErrorCode::wrong_use,
                    "[" + std::to_string(chunk.first) + ", " + std::to_string(chunk.end) + ") was finished",
                    "allowed: the chunk that this rank has drawn last, [" + std::to_string(state.held.first) + ", " +
                        std::to_string(state.held.end) + ")");
    return state.execution->finish(static_cast<std::uint64_t>(chunk.first), static_cast<std::uint64_t>(chunk.end));
}

void Loop::leave() {
    const Turn turn(state_->turn());
    if (!state_->inside) return;
    state_->inside = false;
    state_->leave(LeaveMode::in_order);
}

std::string_view Loop::transport() const noexcept {
    return state_->transport;
}

}  // namespace gimbal::mpi
