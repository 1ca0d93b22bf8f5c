// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "exchange.hpp"
#include "integrator.hpp"
#include "loops.hpp"
#include "octree.hpp"
#include "particles.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evrard {

/// The collapse, from t = 0 on, in steps that all particles share.
/// Every rank holds all particles. In each phase the exchange tells a rank which parts of the iteration order to
/// compute and then shares the results, so that all ranks stay bitwise equal. Integrator: kick-drift-kick with
/// predicted velocity and energy for the forces; second order.
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
    /// Processor time of this rank's first thread in gravity, for each time that forces were computed [s].
    const std::vector<double>& gravity_cpu_s() const { return gravity_cpu_s_; }
    Energies energies() const { return sum_energies(particles_); }

private:
    void compute_rates();
    void update_order_and_tree();
    void update_densities();
    void update_gravity();
    void update_hydro();

    void update_gradients();

    /// Have a loop shared out. @param run  computes one range   @return what this rank ran
    std::vector<Range> share_out(const char* loop, const std::function<void(Range)>& run);
    /// Collect what all ranks computed. @param results  [n] by iteration   @param own  what this rank ran
    template <class Result>
    void collect(std::vector<Result>& results, std::span<const Range> own);

    Config config_;
    Exchange& exchange_;
    Particles particles_;
    Octree tree_;
    std::vector<std::uint32_t> order_;  // [n] iteration -> particle
    std::vector<DensityResult> densities_;
    std::vector<GravityResult> gravities_;
    std::vector<Sym3> gradients_;
    std::vector<HydroResult> hydros_;                // all four: [n] by iteration
    std::vector<Range> listed_;                      // iterations whose neighbours this rank has listed
    std::vector<std::vector<std::uint32_t>> lists_;  // of these, one after the other
    std::vector<Fluid> fluid_;
    std::vector<double> softening_;
    std::vector<double> signal_speed_;
    PhaseTimes times_;
    std::vector<double> gravity_cpu_s_;
    double time_ = 0.0;
    double dt_ = 0.0;
    double natural_dt_ = 0.0;  // dt before it was shortened to meet the end time
    long steps_ = 0;
};

}  // namespace evrard
