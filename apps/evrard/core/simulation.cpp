// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulation.hpp"

#include "initial.hpp"
#include "integrator.hpp"
#include "order.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace evrard {

Simulation::Simulation(const Config& config, Exchange& exchange)
    : config_(config), exchange_(exchange), particles_(make_initial_sphere(config)) {
    const std::size_t n = particles_.size();
    densities_.resize(n);
    gravities_.resize(n);
    gradients_.resize(n);
    hydros_.resize(n);
    fluid_.resize(n);
    softening_.resize(n);
    signal_speed_.resize(n);
    compute_rates();
}

std::vector<Range> Simulation::share_out(const char* loop, const std::function<void(Range)>& run) {
    std::vector<Range> own;
    exchange_.share_out(loop, std::ssize(order_), [&](Range range) {
        run(range);
        append(own, range);
    });
    return own;
}

template <class Result>
void Simulation::collect(std::vector<Result>& results, std::span<const Range> own) {
    static_assert(std::is_trivially_copyable_v<Result>, "results travel as bytes");
    times_.time(Phase::exchange,
                [&] { exchange_.all_gather(results.data(), sizeof(Result), std::ssize(results), own); });
}

void Simulation::step(double end_time) {
    natural_dt_ = next_dt(particles_, signal_speed_, natural_dt_, config_);
    if (!(natural_dt_ > 0.0 && std::isfinite(natural_dt_))) {
        throw std::runtime_error("the time step is no longer a positive number: the run has become unstable");
    }
    const bool last = time_ + natural_dt_ >= end_time;
    dt_ = last ? end_time - time_ : natural_dt_;
    times_.time(Phase::update, [&] { predict_loop(particles_, dt_); });
    compute_rates();
    times_.time(Phase::update, [&] { correct_loop(particles_, dt_); });
    time_ = last ? end_time : time_ + dt_;
    ++steps_;
}

void Simulation::compute_rates() {
    update_order_and_tree();
    update_densities();
    update_gravity();
    update_hydro();
}

void Simulation::update_order_and_tree() {
    times_.time(Phase::tree, [&] {
        order_ = iteration_order(particles_.position, config_.order);
        tree_.build(particles_.position, particles_.mass, config_.theta);
    });
}

void Simulation::update_densities() {
    const std::vector<Range> own = share_out("density", [&](Range range) {
        times_.time(Phase::density, [&] {
            density_loop(tree_, particles_, range.of(order_), config_.neighbours, range.of(densities_));
        });
    });
    collect(densities_, own);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        particles_.h[order_[k]] = densities_[k].h;
        particles_.density[order_[k]] = densities_[k].density;
    }
    times_.time(Phase::tree, [&] { tree_.set_smoothing_lengths(particles_.h); });
}

void Simulation::update_gravity() {
    const double cpu_before_s = times_.cpu_seconds(Phase::gravity);
    const std::vector<Range> own = share_out("gravity", [&](Range range) {
        times_.time(Phase::gravity, [&] { gravity_loop(tree_, particles_, range.of(order_), range.of(gravities_)); });
    });
    gravity_cpu_s_.push_back(times_.cpu_seconds(Phase::gravity) - cpu_before_s);
    collect(gravities_, own);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::uint32_t i = order_[k];
        particles_.gravity[i] = gravities_[k].acceleration;
        particles_.potential[i] = gravities_[k].potential;
        particles_.interactions[i] = gravities_[k].interactions;
        softening_[i] = gravities_[k].h_derivative;
    }
}

void Simulation::update_gradients() {
    std::int64_t lists = 0;
    listed_ = share_out("gradient", [&](Range range) {
        const Range listed{lists, lists + range.size()};
        if (std::ssize(lists_) < listed.end) lists_.resize(static_cast<std::size_t>(listed.end));
        const auto found = listed.of(lists_);
        lists = listed.end;
        times_.time(Phase::neighbours, [&] { neighbours_loop(tree_, particles_, range.of(order_), found); });
        times_.time(Phase::gradient, [&] { gradient_loop(fluid_, range.of(order_), found, range.of(gradients_)); });
    });
    collect(gradients_, listed_);
    for (std::size_t k = 0; k < order_.size(); ++k) fluid_[order_[k]].gradient = gradients_[k];
}

void Simulation::update_hydro() {
    times_.time(Phase::update, [&] { equation_of_state_loop(particles_, softening_, config_.gamma, fluid_); });
    update_gradients();
    // Not shared out anew: it costs what gradients cost, and neighbours are listed where those were computed.
    std::int64_t lists = 0;
    for (const Range& range : listed_) {
        const auto found = Range{lists, lists + range.size()}.of(lists_);
        lists += range.size();
        times_.time(Phase::hydro,
                    [&] { hydro_loop(fluid_, range.of(order_), found, particles_.mass, config_, range.of(hydros_)); });
    }
    collect(hydros_, listed_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::uint32_t i = order_[k];
        particles_.acceleration[i] = particles_.gravity[i] + hydros_[k].acceleration;
        particles_.energy_rate[i] = hydros_[k].energy_rate;
        signal_speed_[i] = hydros_[k].signal_speed;
    }
}

}  // namespace evrard
