// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include "atomic_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace evrard {

namespace {

/// The simulation's present state as a line of energies.csv.
std::string csv_line(const Simulation& simulation, const Energies& e) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), "%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g\n",
                                     simulation.time(), e.kinetic, e.internal, e.gravitational, e.total(), e.momentum,
                                     e.angular_momentum, simulation.dt(), gravity_cost_cov(simulation.particles()));
    return {line.data(), static_cast<std::size_t>(length)};
}

/// The same state as nine plain columns: step t dt Etot Ekin Eint Egrav |P| |L|, with a line feed.
std::string ascii_line(const Simulation& simulation, const Energies& e) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), "%ld %.9g %.6g %.9g %.9g %.9g %.9g %.6g %.6g\n",
                                     simulation.steps(), simulation.time(), simulation.dt(), e.total(), e.kinetic,
                                     e.internal, e.gravitational, e.momentum, e.angular_momentum);
    return {line.data(), static_cast<std::size_t>(length)};
}

constexpr long kStepsBetweenSaves = 100;  // how much of energies.csv a killed run can lose

}  // namespace

void Results::begin(const Simulation& simulation) {
    if (!options_.output.empty()) make_folder(options_.output);
    add_step(simulation);
}

void Results::add_step(const Simulation& simulation) {
    const Energies energies = simulation.energies();
    energies_ += csv_line(simulation, energies);
    if (simulation.steps() % kStepsBetweenSaves == 0) save_energies();
    if (!options_.ascii_energies) return;
    const std::string line = ascii_line(simulation, energies);
    if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
}

void Results::save(const Simulation& simulation) {
    if (options_.output.empty()) return;
    save_energies();  // first: it is small, and may still fit where the snapshot does not
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/snapshot_%06ld.h5", simulation.steps());
    write_file(options_.output + name.data(), make_snapshot(simulation, options_.config));
}

void Results::save_energies() const {
    if (options_.output.empty()) return;
    write_file(options_.output + "/energies.csv", std::as_bytes(std::span(energies_)));
}

}  // namespace evrard
