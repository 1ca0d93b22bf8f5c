// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "energy_table.hpp"

#include <array>
#include <cstdio>

namespace evrard {

EnergyTable::EnergyTable()
    : text_("t,kinetic,internal,gravitational,total,momentum,angular_momentum,dt,gravity_cov\n") {}

void EnergyTable::add(const Simulation& simulation, const Energies& e) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), "%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g\n",
                                     simulation.time(), e.kinetic, e.internal, e.gravitational, e.total(), e.momentum,
                                     e.angular_momentum, simulation.dt(), gravity_cost_cov(simulation.particles()));
    text_.append(line.data(), static_cast<std::size_t>(length));
}

std::string ascii_line(const Simulation& simulation, const Energies& e) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), "%ld %.9g %.6g %.9g %.9g %.9g %.9g %.6g %.6g\n",
                                     simulation.steps(), simulation.time(), simulation.dt(), e.total(), e.kinetic,
                                     e.internal, e.gravitational, e.momentum, e.angular_momentum);
    return {line.data(), static_cast<std::size_t>(length)};
}

}  // namespace evrard
