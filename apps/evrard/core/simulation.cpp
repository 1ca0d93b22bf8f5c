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
    : config_(config),
      exchange_(exchange),
      particles_(make_initial_sphere(config)),
      starts_(block_starts(particles_.size(), exchange.ranks())) {
    const std::size_t n = particles_.size();
    const auto rank = static_cast<std::size_t>(exchange.rank());
    densities_.resize(n);
    gravities_.resize(n);
    gradients_.resize(n);
    hydros_.resize(n);
    fluid_.resize(n);
    softening_.resize(n);
    signal_speed_.resize(n);
    half_.velocity.resize(n);
    half_.energy.resize(n);
    lists_.resize(starts_[rank + 1] - starts_[rank]);
    compute_rates();
}

template <class Result>
std::span<Result> Simulation::own(std::vector<Result>& results) const {
    return std::span(results).subspan(starts_[static_cast<std::size_t>(exchange_.rank())], block_.size());
}

template <class Result>
void Simulation::share(std::vector<Result>& results) {
    static_assert(std::is_trivially_copyable_v<Result>, "results travel as bytes");
    times_.time(Phase::exchange, [&] { exchange_.all_gather(results.data(), sizeof(Result), starts_); });
}

void Simulation::step(double end_time) {
    natural_dt_ = next_dt(particles_, signal_speed_, natural_dt_, config_);
    if (!(natural_dt_ > 0.0 && std::isfinite(natural_dt_))) {
        throw std::runtime_error("the time step is no longer a positive number: the run has become unstable");
    }
    const bool last = time_ + natural_dt_ >= end_time;
    dt_ = last ? end_time - time_ : natural_dt_;
    times_.time(Phase::update, [&] { predict_loop(particles_, dt_, half_); });
    compute_rates();
    times_.time(Phase::update, [&] { correct_loop(particles_, dt_, half_); });
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
        const auto rank = static_cast<std::size_t>(exchange_.rank());
        block_ = Block(order_).subspan(starts_[rank], starts_[rank + 1] - starts_[rank]);
        tree_.build(particles_.position, particles_.mass, config_.theta);
    });
}

void Simulation::update_densities() {
    times_.time(Phase::density, [&] { density_loop(tree_, particles_, block_, config_.neighbours, own(densities_)); });
    share(densities_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        particles_.h[order_[k]] = densities_[k].h;
        particles_.density[order_[k]] = densities_[k].density;
    }
    times_.time(Phase::tree, [&] { tree_.set_smoothing_lengths(particles_.h); });
}

void Simulation::update_gravity() {
    times_.time(Phase::gravity, [&] { gravity_loop(tree_, particles_, block_, own(gravities_)); });
    share(gravities_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::uint32_t i = order_[k];
        particles_.gravity[i] = gravities_[k].acceleration;
        particles_.potential[i] = gravities_[k].potential;
        particles_.interactions[i] = gravities_[k].interactions;
        softening_[i] = gravities_[k].h_derivative;
    }
}

void Simulation::update_hydro() {
    times_.time(Phase::update, [&] { equation_of_state_loop(particles_, softening_, config_.gamma, fluid_); });
    times_.time(Phase::neighbours, [&] { neighbours_loop(tree_, particles_, block_, lists_); });
    times_.time(Phase::gradient, [&] { gradient_loop(fluid_, block_, lists_, own(gradients_)); });
    share(gradients_);
    for (std::size_t k = 0; k < order_.size(); ++k) fluid_[order_[k]].gradient = gradients_[k];
    times_.time(Phase::hydro, [&] { hydro_loop(fluid_, block_, lists_, particles_.mass, config_, own(hydros_)); });
    share(hydros_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::uint32_t i = order_[k];
        particles_.acceleration[i] = particles_.gravity[i] + hydros_[k].acceleration;
        particles_.energy_rate[i] = hydros_[k].energy_rate;
        signal_speed_[i] = hydros_[k].signal_speed;
    }
}

}  // namespace evrard
