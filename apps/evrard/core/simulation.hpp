// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "energies.hpp"
#include "exchange.hpp"
#include "loops.hpp"
#include "octree.hpp"
#include "particles.hpp"
#include "phases.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evrard {

/// The collapse, from t = 0 on, in steps that all particles share.
/// Every rank holds all particles. In each phase a rank computes its block of the iteration order and the exchange
/// shares the results, so that all ranks stay bitwise equal.
/// Integrator: kick-drift-kick with predicted velocity and energy for the forces; second order.
class Simulation {
public:
    /// Builds the initial state and computes its forces. Collective over the exchange's ranks.
    /// @param exchange  outlives the simulation
    Simulation(const Config& config, Exchange& exchange);

    /// One step. Collective.
    /// @param end_time  the step is shortened so that it does not pass this time
    /// @errors std::runtime_error, on all ranks alike, when the step's length is no longer a positive number
    void step(double end_time);

    double time() const { return time_; }
    double dt() const { return dt_; }  ///< length of the last step; 0 before the first
    long steps() const { return steps_; }
    const Particles& particles() const { return particles_; }
    const PhaseTimes& phase_times() const { return times_; }
    Energies energies() const { return sum_energies(particles_); }

private:
    void compute_rates();
    void update_order_and_tree();
    void update_densities();
    void update_gravity();
    void update_hydro();

    template <class Result>
    std::span<Result> own(std::vector<Result>& results) const;
    template <class Result>
    void share(std::vector<Result>& results);

    Config config_;
    Exchange& exchange_;
    Particles particles_;
    Octree tree_;
    std::vector<std::size_t> starts_;   // bounds of the ranks' blocks
    std::vector<std::uint32_t> order_;  // [n] iteration -> particle
    Block block_;                       // this rank's part of order_
    std::vector<DensityResult> densities_;
    std::vector<GravityResult> gravities_;
    std::vector<Sym3> gradients_;
    std::vector<HydroResult> hydros_;                // all four: [n] by iteration
    std::vector<std::vector<std::uint32_t>> lists_;  // [block]
    std::vector<Fluid> fluid_;
    std::vector<double> softening_;
    std::vector<double> signal_speed_;
    HalfStep half_;
    PhaseTimes times_;
    double time_ = 0.0;
    double dt_ = 0.0;
    double natural_dt_ = 0.0;  // dt before it was shortened to meet the end time
    long steps_ = 0;
};

}  // namespace evrard
