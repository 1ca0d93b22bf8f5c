// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gimbal/random.hpp"

namespace gimbal::simulate {

/// What the agent of seed 002 may do at each quantum: allocate evenly, by the loads (e^-r over their sum), as before,
/// or nothing. An allocation in the middle of a step discards what the step has done.
enum class SelfishAction : std::uint8_t { even, boltzmann, repeat, nothing };
inline constexpr std::size_t kSelfishActions = 4;

/// The Markov decision process of seed 002 (sections 3 and 4). What the seed gives are the defaults of quantum_s,
/// boltzmann_delay, steps and reward; everything else it leaves open.
struct SelfishSettings {
    std::uint32_t processors = 4;       ///< n
    std::uint32_t steps = 4;            ///< of the computation
    std::uint32_t boltzmann_delay = 5;  ///< quanta from the choice until the work is there
    double quantum_s = 5;               ///< q [s]
    double beta = 0.7;                  ///< of f = e^(-beta r), the part of a quantum that r other jobs leave
    double work_s = 25;                 ///< of a step, on each of n processors without other jobs [s]
    double arrivals = 0.08;  ///< other jobs that come to a processor in a quantum, mean over day and processors
    double swing = 0.8;      ///< by which part arrivals rise in the afternoon and fall at night
    double spread = 0.5;     ///< processors' arrivals lie between 1 - spread and 1 + spread of the mean
    double service = 6;      ///< mean service of a job, exponential [quanta]
    double action_cost = 1;  ///< of every action, `nothing` too
    double reward = 1000;    ///< when the last step is complete
    double start_h = 9;      ///< time of day at which it begins [h]
    std::uint32_t most_quanta = 400;  ///< then it counts as stuck
};

/// Other people's jobs on one processor: Poisson arrivals, one at a time served, exponentially.
/// @return the jobs in the queue a quantum later  @param arrivals  mean number in the quantum
[[nodiscard]] std::uint32_t next_queue(std::uint32_t jobs, double arrivals, double service, Random& random);

/// One run of the computation among other people's jobs. The jobs do not depend on what is done, so two policies with
/// the same seed meet the same ones.
/// @threads one  @cost O(n) a quantum
class SelfishWorld {
public:
    /// @errors std::bad_alloc
    SelfishWorld(const SelfishSettings& settings, std::uint64_t seed);

    /// Take an action and let a quantum pass. `repeat` before any allocation is even.
    /// @return the reward: minus costs, and what completing the last step brings  @pre !finished()
    double act(SelfishAction action);

    /// The same with an allocation that none of the four actions makes, ready at once: [n] shares that add up to 1.
    double allocate(std::span<const double> shares);

    /// Spread what is left of the step anew, which no action of the seed can: nothing is discarded. [n] shares.
    void move_rest(std::span<const double> shares);

    [[nodiscard]] bool done() const noexcept { return steps_done_ == settings_.steps; }
    [[nodiscard]] bool finished() const noexcept { return done() || quanta_ >= settings_.most_quanta; }
    [[nodiscard]] std::uint32_t quanta() const noexcept { return quanta_; }
    [[nodiscard]] std::uint32_t steps_done() const noexcept { return steps_done_; }

    /// R: no work was allocated in this step yet. False, too, while an allocation is on its way.
    [[nodiscard]] bool at_beginning() const noexcept { return beginning_; }
    /// Quanta until an allocation that is on its way is there.
    [[nodiscard]] std::uint32_t waiting() const noexcept { return delay_; }
    [[nodiscard]] std::uint32_t step_quanta() const noexcept { return step_quanta_; }
    [[nodiscard]] std::span<const std::uint32_t> queues() const noexcept { return queues_; }  ///< [n] L, jobs
    [[nodiscard]] std::span<const double> allocated() const noexcept { return allocated_; }   ///< [n] D [s]
    [[nodiscard]] std::span<const double> remaining() const noexcept { return remaining_; }   ///< [n] J [s]
    [[nodiscard]] std::span<const double> last_shares() const noexcept { return shares_; }    ///< [n] of `repeat`
    [[nodiscard]] double time_h() const noexcept;                                             ///< of day
    [[nodiscard]] const SelfishSettings& settings() const noexcept { return settings_; }

    /// e^(-beta r) over their sum. @param shares  [n] out   @param beta  settings().beta: in proportion to speeds
    void boltzmann_shares(std::span<double> shares, double beta = 1) const noexcept;

    /// Mean number of jobs that come to a processor in a quantum, at this time of day.
    [[nodiscard]] double arrivals_now(std::size_t processor) const noexcept;

    /// The part of a quantum that a processor would give now.
    [[nodiscard]] double speed(std::size_t processor) const noexcept;

    /// Work that all processors together could have done since the step begins counting, perfectly spread at no cost
    /// [s]; for the bound.
    [[nodiscard]] double capacity_s() const noexcept { return capacity_s_; }

private:
    void take(std::span<const double> shares, std::uint32_t delay);
    double pass();

    SelfishSettings settings_;
    Random random_;
    std::vector<std::uint32_t> queues_;
    std::vector<double> rates_, allocated_, remaining_, shares_;
    std::uint32_t quanta_ = 0, step_quanta_ = 0, steps_done_ = 0, delay_ = 0;
    bool beginning_ = true;
    double capacity_s_ = 0;
};

}  // namespace gimbal::simulate
