// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hydro.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace evrard {

Sym3 gradient_matrix(const std::vector<Fluid>& all, std::uint32_t self, std::span<const std::uint32_t> neighbours) {
    const Fluid& me = all[self];
    Sym3 tau;
    for (const std::uint32_t j : neighbours) {
        const Vec3 d = all[j].position - me.position;
        const double shape = kernel_shape(dot(d, d) * me.inv_h2);
        tau.add_outer(all[j].volume * me.norm * shape, d);
    }
    return inverse(tau);
}

HydroResult hydro_on(const std::vector<Fluid>& all, std::uint32_t self, std::span<const std::uint32_t> neighbours,
                     double mass, const Config& config) {
    const Fluid& me = all[self];
    Vec3 acceleration;
    double energy_rate = 0.0;
    double signal = 2.0 * me.sound_speed;
    for (const std::uint32_t index : neighbours) {
        const Fluid& other = all[index];
        const Vec3 d = me.position - other.position;
        const Vec3 dv = me.velocity - other.velocity;
        const double r2 = dot(d, d);
        const Vec3 mine = (me.norm * kernel_shape(r2 * me.inv_h2)) * (me.gradient * d);
        const Vec3 theirs = (other.norm * kernel_shape(r2 * other.inv_h2)) * (other.gradient * d);

        const double approach = std::min(dot(dv, d) / std::sqrt(std::max(r2, 1e-300)), 0.0);
        const double mean_sound = 0.5 * (me.sound_speed + other.sound_speed);
        const double viscosity =
            -0.5 * approach * (config.viscosity_alpha * mean_sound - config.viscosity_beta * approach);
        signal = std::max(signal, 2.0 * mean_sound - 3.0 * approach);

        const double visc_mine = viscosity * me.volume;
        const double visc_theirs = viscosity * other.volume;
        acceleration =
            acceleration + (mass * me.force_term + visc_mine) * mine + (mass * other.force_term + visc_theirs) * theirs;
        energy_rate -= dot(dv, (mass * me.heat_term + 0.5 * visc_mine) * mine + (0.5 * visc_theirs) * theirs);
    }
    return {acceleration, energy_rate, signal};
}

}  // namespace evrard
